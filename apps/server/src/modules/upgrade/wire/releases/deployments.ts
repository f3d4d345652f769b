import type { Pool } from 'pg'

export interface Component {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly fileName: string
  readonly size: number
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  /** Time at which the version was created, in milliseconds. */
  readonly createdAt: number
}

/** Components of a version. Enabled versions never change, so the data is loaded once. */
export interface Deployment {
  readonly otaId: number
  readonly verCode: number
  readonly verName: string
  readonly description: string
  readonly kind: number
  readonly packageName: string
  readonly components: readonly Component[]
  readonly size: number
  readonly manifest: { readonly manifest: string; readonly signature: string; readonly keyId: string } | null
}

const MAX_KEPT = 500
/** Cache time of the manifest, because a manifest may be signed after the version was enabled. */
const FRESH_MS = 60_000

export class Deployments {
  readonly #pool: Pool
  readonly #kept = new Map<number, { readonly at: number; readonly reading: Promise<Deployment | undefined> }>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  of(otaId: number): Promise<Deployment | undefined> {
    const kept = this.#kept.get(otaId)
    if (kept && performance.now() - kept.at < FRESH_MS) return kept.reading
    const reading = this.#read(otaId)
    this.#kept.delete(otaId)
    this.#kept.set(otaId, { at: performance.now(), reading })
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as number)
    reading.catch(() => this.#kept.delete(otaId))
    return reading
  }

  async #read(otaId: number): Promise<Deployment | undefined> {
    const versions = await this.#pool.query<Omit<Deployment, 'components' | 'size' | 'manifest'>>(
      `select ota_id as "otaId", ver_code as "verCode", ver_name as "verName", description, kind,
         package_name as "packageName" from ota_versions where ota_id = $1 and status > 0`,
      [otaId],
    )
    const [version] = versions.rows
    if (!version) return undefined
    const { rows: components } = await this.#pool.query<Component>(
      `select id, name, type, file_name as "fileName", size, md5, sha1, sha256,
         (select extract(epoch from create_time)::float8 * 1000 from ota_versions where ota_id = $1) as "createdAt"
       from ota_components where ota_id = $1 order by sort, id`,
      [otaId],
    )
    const manifests = await this.#pool.query<NonNullable<Deployment['manifest']>>(
      // A manifest without a signature is not sent to devices.
      `select manifest, signature, key_id as "keyId" from ota_manifests where ota_id = $1 and signature <> ''`,
      [otaId],
    )
    const size = components.reduce((sum, each) => sum + each.size, 0)
    return { ...version, components, size, manifest: manifests.rows[0] ?? null }
  }
}
