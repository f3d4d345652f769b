const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$/i

/** Returns the twelve lower-case hex digits of a MAC address with colons or dashes. Undefined for any other text. */
export const parseMacDigits = (text: string): string | undefined =>
  MAC.test(text) ? text.toLowerCase().replaceAll(/[:-]/g, '') : undefined
