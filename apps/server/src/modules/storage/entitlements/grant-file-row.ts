import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageGrantFiles as calls } from '@oms/contract/storage/grant-file.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { Terms } from './open-prepare.ts'

/** Input of a run: the totals of the whole file, and the row of a file that a second person approved. */
export type GrantInput = ParsedOf<typeof calls.import> & {
  readonly totals?: GrantTotals
  readonly grantFileId?: number
}
export interface GrantTotals {
  readonly lines: number
  /** Number of different serial numbers, with and without a device. */
  readonly devices: number
  /** Tenants of the devices; 0 for serial numbers without a device. */
  readonly tenantIds: readonly number[]
}

export const SAME_FILE = { oss_grant_files_hash: ['文件已导入过', 'file'] } as const

/** Values of a new row for a file. The run sets the figures of its opened lines. */
export const buildGrantFileRow = (
  { user, now }: Pick<Ctx, 'user' | 'now'>,
  input: GrantInput,
  terms: Pick<Terms, 'packageName'>,
  file: { readonly name: string; readonly sha256: string },
) => ({
  tenantId: user.tenantId ?? PLATFORM_TENANT_ID,
  fileName: file.name.slice(0, 255),
  fileHash: file.sha256,
  packageId: input.packageId,
  packageName: terms.packageName,
  effectMode: input.effectMode,
  source: input.source,
  amount: input.source === 1 ? input.amount : 0,
  reason: input.reason,
  lines: input.totals?.lines ?? 0,
  tenantIds: [...(input.totals?.tenantIds ?? [0])],
  createBy: user.uid,
  updateBy: user.uid,
  createTime: now.toISOString(),
})

export const rethrowDuplicateFile = (error: unknown): never => {
  throw toUniqueViolation(error, SAME_FILE) ?? error
}
