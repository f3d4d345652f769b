import { onEvent } from '#kernel/events.ts'
import { storeOf, useStore } from '#kernel/store.ts'

const unread = storeOf(0)
export const setUnread = unread.set

// Listening from the start: the first number arrives before the top bar is drawn.
onEvent('unread', ({ count }) => setUnread(count))

/** The number of unread messages, as the server last said. */
export const useUnread = () => useStore(unread)
