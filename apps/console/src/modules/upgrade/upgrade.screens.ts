import type { Screen } from '#kernel/screens.ts'

export const upgradeScreens: readonly Screen[] = []
