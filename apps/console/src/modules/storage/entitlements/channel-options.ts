/** Maximum number of channels that the contract accepts. */
const MAX_CHANNELS = 64

/** Returns the options of a select of channels, for a device with this number of channels. */
export const buildChannelOptions = (count = MAX_CHANNELS) =>
  Array.from({ length: count }, (_, channel) => ({ value: channel, label: `通道 ${channel}` }))
