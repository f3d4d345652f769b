import type { Screen } from '#kernel/screens.ts'

export const tenantScreens: readonly Screen[] = []
