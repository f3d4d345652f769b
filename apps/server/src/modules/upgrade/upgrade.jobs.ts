import type { Kernel } from '#kernel/kernel.ts'

export function registerUpgradeJobs(_kernel: Kernel) {}
