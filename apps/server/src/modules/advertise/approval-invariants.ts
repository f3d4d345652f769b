import type pg from 'pg'
import { queryWithoutTimeout } from '#core/database/statements/unlimited-query.ts'
import type { AdBody } from './schema.ts'
import { hashContent } from './content.ts'

const PAGE = 500
const MAX_BREACHES = 100
const APPROVED = 2

interface ApprovedRow {
  readonly id: number
  readonly verNo: number
  readonly body: AdBody | null
  readonly contentHash: string
  readonly auditStatus: number
  /** True when the submitter or an uploader of the files approved the version. */
  readonly isOwn: boolean
}

const APPROVED_VERSIONS = `
  select a.id, a.approved_ver as "verNo", v.body, coalesce(v.content_hash, '') as "contentHash",
    coalesce(v.audit_status, 0) as "auditStatus",
    coalesce(v.audit_by = v.submit_by or v.audit_by = any(v.uploaders), false) as "isOwn"
  from ads a left join ad_versions v on v.ad_id = a.id and v.ver_no = a.approved_ver
  where a.id > $1 and a.approved_ver > 0 and a.deleted_at is null order by a.id limit ${PAGE}`

/**
 * Returns the ads whose playing version breaks a rule, at most 100: the version is approved, by neither its submitter
 * nor an uploader of its files, and its content has the approved hash.
 */
export async function findApprovalBreaches(pool: pg.Pool): Promise<string[]> {
  const breaches: string[] = []
  for (let after = 0; breaches.length < MAX_BREACHES; ) {
    const rows = await queryWithoutTimeout<ApprovedRow>(pool, APPROVED_VERSIONS, [after])
    for (const row of rows) {
      const rule = brokenRule(row)
      if (rule) breaches.push(`ad ${row.id}, version ${row.verNo}: ${rule}`)
    }
    if (rows.length < PAGE) break
    after = rows.at(-1)!.id
  }
  return breaches.slice(0, MAX_BREACHES)
}

function brokenRule({ body, contentHash, auditStatus, isOwn }: ApprovedRow): string | undefined {
  if (!body || auditStatus !== APPROVED) return 'not approved'
  if (isOwn) return 'approved by its submitter or an uploader'
  return hashContent(body) === contentHash ? undefined : 'content differs from the approved content'
}
