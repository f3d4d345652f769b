import type { Kernel } from '#kernel/kernel.ts'

export function registerLicenseJobs(_kernel: Kernel) {}
