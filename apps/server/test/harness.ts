import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { buildApp } from '../src/app.ts'
import type { Db } from '../src/db/client.ts'
import { accountRoles, accounts, roleMenus, roles } from '../src/db/schema/account.ts'
import { scenes, tenantScenes, tenants } from '../src/db/schema/tenant.ts'
import { readConfig } from '../src/kernel/config.ts'
import { createKernel, type Kernel } from '../src/kernel/kernel.ts'
import { SUPER_ROLE_ID } from '../src/kernel/rights.ts'
import { PLATFORM_TENANT_ID } from '../src/kernel/tenancy.ts'
import { seed } from '../src/seed.ts'
import { createTestDatabase } from './database.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Answer of a call: body code, message and data; any data shape, tests assert on it. */
export interface Answer {
  code: number
  msg: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  data: any
}

/** Somebody who calls: a stranger when `ticket` is null. */
export interface Caller {
  readonly uid: number
  readonly roleId: number
  readonly account: string
  readonly ticket: string | null
  call(method: Method, url: string, payload?: object): Promise<Answer>
  /** The raw reply, for headers, statuses and bodies that are no envelopes. */
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
}

export interface Who {
  /** `platform` (default) or the name of a customer, made on first use with every permission offered to it. */
  readonly tenant?: string
  readonly permissions?: readonly string[]
  /** The built-in super role. */
  readonly superAdmin?: boolean
  readonly dataScope?: number
}

/**
 * The real server over a database of this file's own. `as('a:b:c')` is a member of the platform's staff who holds these
 * permissions, `as()` one who holds none, `stranger()` nobody; `by({...})` says more.
 */
export function useApp(env: Record<string, string> = {}) {
  let app: FastifyInstance
  let kernel: Kernel
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
    const database = await createTestDatabase()
    kernel = await createKernel({ config, database, log: pino({ level: process.env.OMS_TEST_LOG ?? 'silent' }) })
    await seed(database, { passwords: kernel.passwords, adminPassword: 'Test-admin-1' })
    await kernel.permVersion.follow(kernel)
    app = buildApp(kernel)
    await app.ready()
  })
  afterAll(async () => {
    await app?.close()
    await kernel?.close()
    await kernel?.database.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const inject = (ticket: string | null, options: InjectOptions) =>
    app.inject({ ...options, headers: { ...(ticket && { ticket }), ...options.headers } })

  const caller = (facts: Omit<Caller, 'call' | 'inject'>): Caller => ({
    ...facts,
    inject: (options) => inject(facts.ticket, options),
    async call(method, url, payload) {
      const reply = await inject(facts.ticket, { method, url, ...(payload && { payload }) })
      return reply.json() as Answer
    },
  })

  const by = async ({ tenant = 'platform', permissions = [], superAdmin = false, dataScope = 1 }: Who = {}) => {
    made += 1
    const { db } = kernel.database
    const tenantId = tenant === 'platform' ? PLATFORM_TENANT_ID : await customer(db, tenant)
    const account = `tester${made}`
    const [row] = await db
      .insert(accounts)
      .values({ account, realname: `测试${made}`, tenantId, passwordHash: 'none' })
      .returning({ uid: accounts.uid })
    const uid = row?.uid as number
    const roleId = superAdmin ? SUPER_ROLE_ID : await roleOf(db, { tenantId, name: account, permissions, dataScope })
    await db.insert(accountRoles).values({ uid, roleId })
    const session = { uid, tenantId, ip: '127.0.0.1', userAgent: 'vitest', console: false }
    const { token } = await kernel.sessions.open(db, session)
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
    get kernel() {
      return kernel
    },
    get db() {
      return kernel.database.db
    },
    get dataDir() {
      return dataDir
    },
  }
}

/** A customer of this name, with one scene that offers every menu there is. */
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
  role: { tenantId: number; name: string; permissions: readonly string[]; dataScope: number },
) {
  const { tenantId, name, permissions, dataScope } = role
  const [made] = await db
    .insert(roles)
    .values({ tenantId, roleName: name, roleCode: name, dataScope })
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
