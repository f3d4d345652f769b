import type { Pool } from 'pg'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { fileMsOf } from '../content.ts'
import type { AdBody, ProgramBody } from '../schema.ts'

const MAX_CACHED_VERSIONS = 20_000

interface PublishedItem {
  readonly adId: number
  /** Planned milliseconds of one play. */
  readonly ms: number
}

export interface PublishedProgram {
  readonly tenantId: number
  readonly isTakeover: boolean
  readonly targetType: number
  readonly targetIds: ReadonlySet<number>
  readonly items: ReadonlyMap<number, PublishedItem>
  /** Epoch milliseconds. */
  readonly publishedAt: number
  readonly dateFrom: string
  readonly dateTo: string
}

interface ApprovedVersion {
  /** Ids of the files by sha256. */
  readonly materials: ReadonlyMap<string, number>
  /** Milliseconds of the file of a video or an audio; undefined for other kinds. */
  readonly fileMs: number | undefined
}

interface ProgramRow {
  readonly id: number
  readonly ver: number
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: number[]
  readonly body: ProgramBody
}

interface Named {
  readonly programId: number
  readonly ver: number
  readonly adId: number
  readonly adVer: number
}

interface PlayTarget {
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
}

const keyOf = (id: number, ver: number) => `${id}:${ver}`

/** Caches the versions of programs and ads that reports name. Published versions never change. */
export class PublishedVersions {
  readonly #pool: Pool
  readonly #programs = new Map<string, PublishedProgram>()
  readonly #ads = new Map<string, ApprovedVersion>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  program(id: number, ver: number) {
    return this.#programs.get(keyOf(id, ver))
  }

  /** Returns the id of the shown file; 0 for no file or an unknown file, undefined for an unknown ad version. */
  material(adId: number, adVer: number, sha256: string | null | undefined): number | undefined {
    const version = this.#ads.get(keyOf(adId, adVer))
    return version && (version.materials.get(sha256 ?? '') ?? 0)
  }

  /**
   * Returns the planned milliseconds of one play of an item; undefined for an unknown item. A video or an audio lasts as
   * long as the file of the reported ad version.
   */
  plannedMs({ programId, ver, itemId, adId, adVer }: Named & { readonly itemId: number }): number | undefined {
    const item = this.program(programId, ver)?.items.get(itemId)
    return item && (this.#ads.get(keyOf(adId, adVer))?.fileMs ?? item.ms)
  }

  /** Loads the versions that these reports name and that are not in memory. */
  async load(reports: readonly Named[]) {
    const programs = reports.filter(({ programId, ver }) => !this.#programs.has(keyOf(programId, ver)))
    if (programs.length > 0) await this.#loadPrograms(programs)
    const ads = reports.filter(({ adId, adVer }) => !this.#ads.has(keyOf(adId, adVer)))
    if (ads.length > 0) await this.#loadAds(ads)
  }

  async #loadPrograms(named: readonly Named[]) {
    if (this.#programs.size > MAX_CACHED_VERSIONS) this.#programs.clear()
    const { rows } = await this.#pool.query<ProgramRow>(
      `select program_id as id, ver_no as ver, tenant_id as "tenantId", target_type as "targetType",
         target_ids as "targetIds", body from ad_program_versions
       where (program_id, ver_no) in (select * from unnest($1::int[], $2::int[])) and state in (2, 3)`,
      [named.map(({ programId }) => programId), named.map(({ ver }) => ver)],
    )
    for (const { id, ver, tenantId, targetType, targetIds, body } of rows) {
      const items = new Map(body.items.map(({ id: itemId, adId, ms }) => [itemId, { adId, ms }]))
      const isTakeover = body.insertMode > 0
      const { publishedAt, dateFrom, dateTo } = body
      // A default program can reach all devices of its tenant.
      const targets =
        body.fallback === 0
          ? { targetType, targetIds: new Set(targetIds) }
          : { targetType: 0, targetIds: new Set<number>() }
      this.#programs.set(keyOf(id, ver), { tenantId, isTakeover, items, publishedAt, dateFrom, dateTo, ...targets })
    }
  }

  async #loadAds(named: readonly Named[]) {
    if (this.#ads.size > MAX_CACHED_VERSIONS) this.#ads.clear()
    const { rows } = await this.#pool.query<{ id: number; ver: number; body: AdBody }>(
      `select ad_id as id, ver_no as ver, body from ad_versions
       where (ad_id, ver_no) in (select * from unnest($1::int[], $2::int[])) and audit_status = 2`,
      [named.map(({ adId }) => adId), named.map(({ adVer }) => adVer)],
    )
    for (const { id, ver, body } of rows) {
      const materials = new Map(body.files.map(({ sha256, materialId }) => [sha256, materialId]))
      this.#ads.set(keyOf(id, ver), { materials, fileMs: fileMsOf(body.type, body.review?.durationMs) })
    }
  }
}

/**
 * True when a published version could have been delivered to a device. Programs of the platform reach all tenants.
 * Members of groups change, so a version for groups is accepted from every device of the tenant.
 */
export function couldBeDeliveredTo({ tenantId, targetType, targetIds }: PublishedProgram, device: PlayTarget): boolean {
  if (tenantId !== PLATFORM_TENANT_ID && tenantId !== device.tenantId) return false
  if (targetType === 1) return targetIds.has(device.deviceId)
  if (targetType === 3) return targetIds.has(device.modelId)
  return targetType !== 4 || targetIds.has(device.tenantId)
}
