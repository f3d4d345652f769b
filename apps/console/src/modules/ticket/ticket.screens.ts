import type { Screen } from '#kernel/screens.ts'

export const ticketScreens: readonly Screen[] = []
