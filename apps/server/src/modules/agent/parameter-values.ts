import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PARAMS, findParam, type FeatureSwitch } from '@oms/contract/agent/parameters/param-list.ts'
import type { Config } from '#core/config/config.ts'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import type { Database } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly agentParameters: AgentParameters
  }
}

export const SERVER_SECRET_CODE = 'server.secret'
/** Name in `agent_secrets.field` of the replaced server secret while it is still accepted. */
export const PREVIOUS_SECRET_CODE = 'server.secret.previous'
/** `agent_secrets.owner_kind` of parameters. */
export const PARAM_SECRET_OWNER_KIND = 3

const SECRET_BYTES = 32
/** Delay before the parameters are read again for an unknown secret. Calls within the delay share one read. */
const RECHECK_MS = 200

/** Returns the SHA-256 digest by which the tenant of a secret is found. */
export const hashServerSecret = (secret: string) => createHash('sha256').update(secret).digest()

interface SecretOwner {
  readonly tenantId: number
  /** Epoch milliseconds; infinite for the current secret. */
  readonly validUntil: number
}

interface Loaded {
  readonly values: ReadonlyMap<number, ReadonlyMap<string, string>>
  readonly owners: ReadonlyMap<string, SecretOwner>
}

interface Row {
  readonly tenantId: number
  readonly code: string
  readonly value: string | null
  readonly encrypted: string | null
  readonly hash: string | null
  readonly validUntil: number | null
}

/** Values of one tenant: its own value, otherwise the platform's, otherwise the default. */
export class ParameterValues {
  readonly #layers: readonly (ReadonlyMap<string, string> | undefined)[]

  constructor(...layers: readonly (ReadonlyMap<string, string> | undefined)[]) {
    this.#layers = layers
  }

  /** Returns the text of a parameter. Throws for an unknown code. */
  readonly text = (code: string): string => {
    for (const layer of this.#layers) {
      const value = layer?.get(code)
      if (value !== undefined) return value
    }
    return findParam(code)!.value
  }

  number(code: string): number {
    return Number(this.text(code))
  }

  isOn(code: string): boolean {
    return this.text(code) === 'true'
  }
}

interface Parts {
  readonly database: Pick<Database, 'pool'>
  readonly events: Pick<Events, 'on' | 'onReconnect'>
  readonly config: Pick<Config, 'secretKey'>
}

const LOAD = `select tenant_id as "tenantId", code, value, null as encrypted, null as hash, null::float8 as "validUntil"
    from agent_params
  union all select owner_id, field, null, encrypted, encode(value_hash, 'hex'), extract(epoch from valid_until)::float8 * 1000
    from agent_secrets where owner_kind = ${PARAM_SECRET_OWNER_KIND}`
const CREATE_SECRET = `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four, value_hash)
  values (${PARAM_SECRET_OWNER_KIND}, ${PLATFORM_TENANT_ID}, '${SERVER_SECRET_CODE}', ${PLATFORM_TENANT_ID}, $1, $2, $3) on conflict do nothing`

/** Reads the parameters of all tenants once. A NOTIFY of a change empties the cache in every process. */
export class AgentParameters {
  readonly #parts: Parts
  #loaded: Promise<Loaded> | undefined
  #rechecking: Promise<Loaded> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const forget = () => (this.#loaded = undefined)
    parts.events.on('agentParams', forget)
    parts.events.onReconnect(forget)
  }

  async of(tenantId: number): Promise<ParameterValues> {
    const { values } = await this.#load()
    const platform = values.get(PLATFORM_TENANT_ID)
    return tenantId === PLATFORM_TENANT_ID
      ? new ParameterValues(platform)
      : new ParameterValues(values.get(tenantId), platform)
  }

  /** Returns the value of a parameter for all tenants without a value of their own, and the own values by tenant. */
  async valuesOf(code: string): Promise<{ readonly standard: string; readonly own: ReadonlyMap<number, string> }> {
    const { values } = await this.#load()
    const own = [...values].flatMap(([tenantId, layer]): [number, string][] => {
      const value = tenantId === PLATFORM_TENANT_ID ? undefined : layer.get(code)
      return value === undefined ? [] : [[tenantId, value]]
    })
    return { standard: (await this.of(PLATFORM_TENANT_ID)).text(code), own: new Map(own) }
  }

  /**
   * Returns the values of a tenant for a voice server. The voice server of a tenant does not receive secrets of the
   * platform.
   */
  async forServer(tenantId: number, serverTenant: number): Promise<ParameterValues> {
    if (serverTenant === PLATFORM_TENANT_ID) return this.of(tenantId)
    const { values } = await this.#load()
    const platform = [...(values.get(PLATFORM_TENANT_ID) ?? [])].filter(([code]) => !SECRET_PARAMS.includes(code))
    return new ParameterValues(values.get(tenantId), new Map(platform))
  }

  /**
   * Returns the tenant that owns this secret of a voice server. Reads the parameters again for an unknown secret,
   * because another process may have changed the secret a moment ago.
   */
  async ownerOfSecret(secret: string): Promise<number | undefined> {
    if (secret === '') return undefined
    const hash = hashServerSecret(secret).toString('hex')
    const owner = (await this.#load()).owners.get(hash) ?? (await this.#recheck()).owners.get(hash)
    return owner !== undefined && owner.validUntil > Date.now() ? owner.tenantId : undefined
  }

  /** Clears the cache of this process, so that the caller reads its own write before the NOTIFY arrives. */
  forget() {
    this.#loaded = undefined
  }

  #recheck(): Promise<Loaded> {
    return (this.#rechecking ??= sleep(RECHECK_MS).then(() => {
      this.#rechecking = undefined
      this.#loaded = undefined
      return this.#load()
    }))
  }

  #load(): Promise<Loaded> {
    if (this.#loaded) return this.#loaded
    const loading = this.#read()
    this.#loaded = loading
    loading.catch(() => {
      if (this.#loaded === loading) this.#loaded = undefined
    })
    return loading
  }

  async #read(): Promise<Loaded> {
    const { pool } = this.#parts.database
    const { rows } = await pool.query<Row>({ name: 'agent-params', text: LOAD })
    if (rows.some(({ tenantId, code }) => tenantId === PLATFORM_TENANT_ID && code === SERVER_SECRET_CODE))
      return this.#index(rows)
    // The first read in an installation creates the secret. When two processes insert a secret, one insert wins, and
    // both processes read its row.
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const encrypted = encrypt(this.#parts.config.secretKey, secret)
    await pool.query(CREATE_SECRET, [encrypted, secret.slice(-4), hashServerSecret(secret)])
    return this.#index((await pool.query<Row>({ name: 'agent-params', text: LOAD })).rows)
  }

  #index(rows: readonly Row[]): Loaded {
    const values = new Map<number, Map<string, string>>()
    const owners = new Map<string, SecretOwner>()
    for (const { tenantId, code, value, encrypted, hash, validUntil } of rows) {
      const own = values.get(tenantId) ?? new Map<string, string>()
      values.set(tenantId, own)
      const text = value ?? (encrypted === null ? '' : decrypt(this.#parts.config.secretKey, encrypted))
      own.set(code, text)
      if (hash !== null) owners.set(hash, { tenantId, validUntil: validUntil ?? Number.POSITIVE_INFINITY })
    }
    return { values, owners }
  }
}

/** Codes of parameters whose values are encrypted. */
export const SECRET_PARAMS: readonly string[] = PARAMS.filter(({ type }) => type === 'secret').map(({ code }) => code)

/**
 * Returns whether the parameter `features` permits a feature. Features that the parameter does not name are permitted.
 */
export function isFeaturePermitted(params: ParameterValues, feature: FeatureSwitch): boolean {
  try {
    const switches: unknown = JSON.parse(params.text('features'))
    return typeof switches !== 'object' || switches === null || (switches as Record<string, unknown>)[feature] !== false
  } catch {
    return true
  }
}

/** Returns whether the parameter `features` of a tenant permits a feature. */
export const isFeatureEnabled = async (
  { agentParameters }: { readonly agentParameters: AgentParameters },
  tenantId: number,
  feature: FeatureSwitch,
) => isFeaturePermitted(await agentParameters.of(tenantId), feature)
