/** Open event streams of this process, counted by the metrics. */
export const openStreams = new Set<object>()
