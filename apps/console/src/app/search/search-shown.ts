import { createStore } from '#core/events/store.ts'

/** True while the search (Ctrl/⌘ K) is open. */
export const searchShown = createStore(false)
