import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { buildApp } from '#main/app.ts'
import type { Database, Db } from '#core/database/client.ts'
import { accountRoles, accounts, roleMenus, roles } from '#core/schema/account.ts'
import { scenes, tenantScenes, tenants } from '#core/schema/tenant.ts'
import { readConfig } from '#core/config/config.ts'
import type { Services } from '#core/services.ts'
import { createServices } from '#main/services.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { createSeededDatabase } from './database.ts'

/** Limit for the start. The first use of the demo data in a run waits until they are created. */
const START_MS = 300_000

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Response of a call: body code, message and data of any shape. */
export interface ApiResponse {
  code: number
  msg: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  data: any
}

/** A caller; anonymous when `ticket` is null. */
export interface Caller {
  readonly uid: number
  readonly roleId: number
  readonly account: string
  readonly ticket: string | null
  call(method: Method, url: string, payload?: object): Promise<ApiResponse>
  /** Returns the raw response, for headers, statuses and bodies without an envelope. */
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
}

export interface Who {
  /** `platform` (default) or the name of a tenant, created at first use with all permissions available. */
  readonly tenant?: string
  readonly permissions?: readonly string[]
  /** Whether the account has the built-in super administrator role. */
  readonly superAdmin?: boolean
  readonly dataScope?: number
  /** Tenants of a role with `dataScope` 3. */
  readonly scopeIds?: readonly number[]
}

/**
 * Starts the real server with a separate database. `as('a:b:c')` is a platform account with these permissions, `as()`
 * one without permissions, `stranger()` an anonymous caller. `by({...})` sets more options.
 */
export function useApp(env: Record<string, string> = {}, log?: Logger) {
  return startApp({ env, log, createDatabase: createSeededDatabase })
}

interface AppOptions {
  readonly env: Record<string, string>
  readonly log?: Logger | undefined
  createDatabase(dataDir: string): Promise<Database>
}

/** Starts the real server on this database before the tests of a file, and stops it after them. */
export function startApp({ env, log, createDatabase }: AppOptions) {
  let app: FastifyInstance
  let services: Services
  let dataDir: string
  let made = 0

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms-app-'))
    const config = readConfig({
      DATA_DIR: dataDir,
      OMS_RATE_API: '1000000',
      OMS_RATE_UPLOAD: '100000',
      OMS_RATE_EXPORT: '100000',
      ...env,
    })
    const database = await createDatabase(dataDir)
    const silent = pino({ level: process.env.OMS_TEST_LOG ?? 'silent' })
    services = await createServices({ config, database, log: log ?? silent })
    await services.permissionVersion.follow(services)
    app = buildApp(services)
    await app.ready()
  }, START_MS)
  afterAll(async () => {
    await app?.close()
    await services?.close()
    await services?.database.close()
    // Removing a folder fails when a process still writes a file into the folder.
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })

  const inject = (ticket: string | null, options: InjectOptions) =>
    app.inject({ ...options, headers: { ...(ticket && { ticket }), ...options.headers } })

  const caller = (facts: Omit<Caller, 'call' | 'inject'>): Caller => ({
    ...facts,
    inject: (options) => inject(facts.ticket, options),
    async call(method, url, payload) {
      const reply = await inject(facts.ticket, { method, url, ...(payload && { payload }) })
      return reply.json() as ApiResponse
    },
  })

  const by = async ({
    tenant = 'platform',
    permissions = [],
    superAdmin = false,
    dataScope = 1,
    scopeIds = [],
  }: Who = {}) => {
    made += 1
    const { db } = services.database
    const tenantId = tenant === 'platform' ? PLATFORM_TENANT_ID : await customer(db, tenant)
    const account = `tester${made}`
    const [row] = await db
      .insert(accounts)
      .values({ account, realname: `测试${made}`, tenantId, passwordHash: 'none' })
      .returning({ uid: accounts.uid })
    const uid = row?.uid as number
    const roleId = superAdmin
      ? SUPER_ROLE_ID
      : await roleOf(db, { tenantId, name: account, permissions, dataScope, scopeIds })
    await db.insert(accountRoles).values({ uid, roleId })
    const session = { uid, tenantId, ip: '127.0.0.1', userAgent: 'vitest', console: false }
    const { token } = await services.sessions.open(db, session)
    return caller({ uid, roleId, account, ticket: token })
  }

  return {
    by,
    as: (...permissions: string[]) => by({ permissions }),
    stranger: () => caller({ uid: 0, roleId: 0, account: '', ticket: null }),
    withTicket: (ticket: string) => caller({ uid: 0, roleId: 0, account: '', ticket }),
    get app() {
      return app
    },
    get services() {
      return services
    },
    get db() {
      return services.database.db
    },
    get dataDir() {
      return dataDir
    },
  }
}

/** Creates a tenant of this name with one scene that offers all menus. */
async function customer(db: Db, name: string): Promise<number> {
  const [found] = await db.select({ id: tenants.id }).from(tenants).where(sql`${tenants.name} = ${name}`)
  if (found) return found.id
  const [made] = await db
    .insert(tenants)
    .values({ name, tenantNo: `X${Math.random().toString(36).slice(2, 10)}` })
    .returning({ id: tenants.id })
  const id = made?.id as number
  const [scene] = await db
    .insert(scenes)
    .values({ sceneName: `全部${id}`, sceneCode: `all_${id}` })
    .returning({ id: scenes.id })
  await db.execute(
    sql`insert into scene_menus (scene_id, menu_id) select ${scene?.id}, id from menus where deleted_at is null`,
  )
  await db.insert(tenantScenes).values({ tenantId: id, sceneId: scene?.id as number })
  return id
}

async function roleOf(
  db: Db,
  role: Required<Pick<Who, 'permissions' | 'dataScope' | 'scopeIds'>> & { tenantId: number; name: string },
) {
  const { tenantId, name, permissions, dataScope, scopeIds } = role
  const [made] = await db
    .insert(roles)
    .values({ tenantId, roleName: name, roleCode: name, dataScope, scopeIds: [...scopeIds] })
    .returning({ id: roles.id })
  const roleId = made?.id as number
  for (const permission of permissions) {
    const { rows } = await db.execute<{ id: number }>(
      sql`select id from menus where perms = ${permission} and deleted_at is null`,
    )
    if (!rows[0]) throw new Error(`${permission} is not in the catalogue`)
    await db.insert(roleMenus).values({ roleId, menuId: rows[0].id })
  }
  return roleId
}
