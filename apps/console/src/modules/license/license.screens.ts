import type { Screen } from '#kernel/screens.ts'

export const licenseScreens: readonly Screen[] = []
