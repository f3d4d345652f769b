import type { Screen } from '#kernel/screens.ts'

export const deviceScreens: readonly Screen[] = []
