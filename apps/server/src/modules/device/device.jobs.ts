import type { Kernel } from '#kernel/kernel.ts'

export function registerDeviceJobs(_kernel: Kernel) {}
