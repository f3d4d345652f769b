import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { User } from '#core/http/context.ts'

export interface SubmittedVersion {
  readonly tenantId: number
  /** Null before the first submission. */
  readonly submitBy: number | null
  readonly uploaders: readonly number[] | null
  /** 1 when staff of the platform audits the ads of the tenant. */
  readonly platformAudit: number | null
}

/**
 * Returns why an account may not audit a version; empty when it may. Staff of the platform audits where 平台审核 is on, otherwise staff of
 * the tenant, and never the submitter or an uploader of the files.
 */
export function findAuditRefusal(
  { tenantId, submitBy, uploaders, platformAudit }: SubmittedVersion,
  user: User,
): string {
  if (submitBy === null) return ''
  if (tenantId !== PLATFORM_TENANT_ID && platformAudit === 1) {
    if (!user.isPlatform) return AD_MESSAGES.platformAudit
  } else if (user.tenantId !== tenantId) return AD_MESSAGES.tenantAudit
  if (submitBy === user.uid) return AD_MESSAGES.ownSubmission
  return uploaders?.includes(user.uid) ? AD_MESSAGES.ownUpload : ''
}
