import { StaffInput, staff } from '@oms/contract/account/staff.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { accounts, roles } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { createStaff, disableStaff, removeStaffMfa, resetStaffPassword } from '#modules/account/staff.ts'
import { runAsActor, createCliActor, createPlatformUser } from '#core/auth/system-actor.ts'
import {
  type Command,
  CommandError,
  withServices,
  parseArguments,
  openExistingDatabase,
  parseOptions,
  type CommandContext,
} from './command.ts'
import { createOneTimePassword } from '#core/auth/challenge.ts'
import { createTenantWithAdmin } from '#modules/tenant/open-tenant.ts'
import { SIGNING_STATE } from '@oms/contract/upgrade/ota-signing.ts'
import { otaVersions } from '#modules/upgrade/schema.ts'
import { FIRMWARE_KIND, SOFTWARE_KIND } from '#modules/upgrade/artifact-kind.ts'
import { verifyVersion } from '#modules/upgrade/versions/signing.ts'
import type pg from 'pg'
import { migrateDatabase, countPendingMigrations, readMigrations, isQueueCurrent } from '#core/database/migrate.ts'
import { readConfig } from '#core/config/config.ts'
import { findBinaries } from '#core/database/embedded/binaries.ts'
import { storeTemplate } from '#core/database/embedded/cluster-template.ts'
import { databaseTemplate } from '#main/database-template.ts'
import { storeKey } from '#main/template-key.ts'
import { backupCommand } from './backup.ts'
import { checkCommand } from './check.ts'
import { restoreCommand } from './restore.ts'

const CREATE = 'user create <账号> [--name <姓名>] [--role <角色编码>…] [--tenant <客户编号>]'
const RESET = 'user reset-password <账号> [--mfa]'
const DISABLE = 'user disable <账号>'

const userCreateCommand: Command = {
  name: 'user create',
  usage: CREATE,
  summary: '新增账号并打印一次性密码',
  async run(args, context) {
    const { first: account, values } = parseArguments(args, CREATE, {
      name: { type: 'string' },
      role: { type: 'string', multiple: true },
      tenant: { type: 'string' },
    })
    const made = await withServices(context, async (services) => {
      const tenantId = values.tenant ? await tenantIdOf(services, values.tenant) : PLATFORM_TENANT_ID
      const roleIds = await roleIdsOf(services, tenantId, values.role ?? [])
      const { data, error } = StaffInput.safeParse({ account, realname: values.name ?? account.slice(0, 15), roleIds })
      if (!data) throw new CommandError(error.issues[0]?.message ?? '账号不正确')
      return runAsActor(
        services,
        createCliActor(tenantId),
        { name: 'create', ...staff.create, input: data, outside: true },
        (ctx) => createStaff(ctx, data),
      )
    })
    context.print(`已新增账号 ${made.account}，一次性密码 ${made.password}（首次登录须修改）`)
  },
}

const userResetCommand: Command = {
  name: 'user reset-password',
  usage: RESET,
  summary: '重置密码并打印新的一次性密码，所有会话随即结束；--mfa 同时解除丢失的两步验证',
  async run(args, context) {
    const { first, values } = parseArguments(args, RESET, { mfa: { type: 'boolean' } })
    const { account, password } = await withServices(context, async (services) => {
      const { uid, tenantId } = await accountOf(services, first)
      if (values.mfa) {
        const remove = { name: 'removeMfa', ...staff.removeMfa, input: { id: uid } }
        await runAsActor(services, createCliActor(tenantId), remove, (ctx) => removeStaffMfa(ctx, { id: uid }))
      }
      const what = { name: 'resetPasswd', ...staff.resetPasswd, input: { id: uid }, outside: true } as const
      return runAsActor(services, createCliActor(tenantId), what, (ctx) => resetStaffPassword(ctx, { id: uid }))
    })
    if (values.mfa) context.print(`已解除 ${account} 的两步验证`)
    context.print(`已重置 ${account} 的密码，一次性密码 ${password}（登录后须修改）`)
  },
}

const userDisableCommand: Command = {
  name: 'user disable',
  usage: DISABLE,
  summary: '停用账号，所有会话随即结束',
  async run(args, context) {
    const { first } = parseArguments(args, DISABLE, {})
    const account = await withServices(context, async (services) => {
      const found = await accountOf(services, first)
      const input = { id: found.uid }
      await runAsActor(services, createCliActor(found.tenantId), { name: 'disable', ...staff.disable, input }, (ctx) =>
        disableStaff(ctx, input),
      )
      return found.account
    })
    context.print(`已停用账号 ${account}`)
  },
}

async function accountOf({ database: { db } }: Services, name: string) {
  const [found] = await db
    .select({ uid: accounts.uid, account: accounts.account, tenantId: accounts.tenantId })
    .from(accounts)
    .where(and(sql`lower(${accounts.account}) = lower(${name})`, notDeleted(accounts)))
  if (!found) throw new CommandError(`没有账号 ${name}`)
  if (found.tenantId === null) throw new CommandError(`账号 ${name} 还没有加入任何客户`)
  return { ...found, tenantId: found.tenantId }
}

async function tenantIdOf({ database: { db } }: Services, tenantNo: string) {
  const [found] = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.tenantNo, tenantNo.toUpperCase()), notDeleted(tenants)))
  if (!found) throw new CommandError(`没有客户编号为 ${tenantNo} 的客户`)
  return found.id
}

async function roleIdsOf({ database: { db } }: Services, tenantId: number, codes: readonly string[]) {
  if (codes.length === 0) return []
  const ofTenant = and(eq(roles.tenantId, tenantId), notDeleted(roles))
  const found = await db
    .select({ id: roles.id, code: roles.roleCode })
    .from(roles)
    .where(and(ofTenant, inArray(roles.roleCode, [...codes])))
  const missing = codes.find((code) => !found.some((role) => role.code === code))
  if (!missing) return found.map(({ id }) => id)
  const all = await db.select({ code: roles.roleCode }).from(roles).where(ofTenant).orderBy(roles.roleSort).limit(50)
  throw new CommandError(`没有角色 ${missing}；可用：${all.map(({ code }) => code).join('、') || '（无）'}`)
}

const TENANT_USAGE = 'tenant create <名称> [--contact <联系人>] [--admin <账号>]'
const LIMITS = { name: 50, contact: 20 } as const

const tenantCreateCommand: Command = {
  name: 'tenant create',
  usage: TENANT_USAGE,
  summary: '新增客户、首位管理员及其一次性密码，并给予默认业务场景',
  async run(args, context) {
    const { first: name, values } = parseArguments(args, TENANT_USAGE, {
      contact: { type: 'string' },
      admin: { type: 'string' },
    })
    const contactName = values.contact ?? ''
    if (name.trim() === '' || name.length > LIMITS.name) throw new CommandError(`客户名称应为 1～${LIMITS.name} 个字符`)
    if (contactName.length > LIMITS.contact) throw new CommandError(`联系人不能超过 ${LIMITS.contact} 个字符`)
    const { password, passwordHash } = await createOneTimePassword()
    const made = await withServices(context, (services) =>
      runAsActor(services, createCliActor(), { ...NEW_TENANT, input: { name, contactName } }, (ctx) =>
        createTenantWithAdmin(
          ctx,
          { name: name.trim(), contactName },
          values.admin ? { account: values.admin } : {},
          passwordHash,
        ),
      ),
    )
    context.print(`已新增客户 ${made.tenantNo}「${name.trim()}」`)
    context.print(`首位管理员 ${made.account}，一次性密码 ${password}（首次登录须修改）`)
    context.print(
      made.scenes.length > 0
        ? `业务场景：${made.scenes.join('、')}`
        : '尚无默认业务场景，请在「业务场景」中建立并分配，该客户才能看到功能',
    )
  },
}

/** The equivalent call of the tenant screen, for the operation log. */
const NEW_TENANT = { name: 'create', method: 'POST', path: '/api/v1/tenant', title: '新增客户' } as const

const OTA_USAGE = 'ota verify <版本编号>'

/**
 * Verifies signatures like the console's signature block, for a terminal or a scheduled script. Fails when any check
 * fails.
 */
const otaVerifyCommand: Command = {
  name: 'ota verify',
  usage: OTA_USAGE,
  summary: '核对一个版本的签名、清单与组件文件',
  async run(args, context) {
    const otaId = Number(parseArguments(args, OTA_USAGE, {}).first)
    if (!Number.isInteger(otaId) || otaId < 1) throw new CommandError(`用法：npm run oms -- ${OTA_USAGE}`)
    const view = await withServices(context, async (services) => {
      const { db } = services.database
      const [found] = await db.select({ kind: otaVersions.kind }).from(otaVersions).where(eq(otaVersions.otaId, otaId))
      const artifact = found?.kind === SOFTWARE_KIND.kind ? SOFTWARE_KIND : FIRMWARE_KIND
      return verifyVersion({ services, user: createPlatformUser({}), now: services.now() }, artifact, { otaId })
    })
    const state = SIGNING_STATE[view.state as keyof typeof SIGNING_STATE]
    context.print(`版本 ${otaId}：${state}${view.keyId && `，密钥 ${view.keyId}，序号 ${view.release}`}`)
    for (const { title, ok, words: said } of view.checks) context.print(`${ok ? '✓' : '✗'} ${title}：${said}`)
    if (view.state !== 2) throw new CommandError('核对未通过')
  },
}

const USAGE = 'migrate [--dry-run]'

/** Returns what a start of this program would change in the schema. */
async function pendingIn(pool: pg.Pool): Promise<string[]> {
  const count = await countPendingMigrations(pool)
  const tags = readMigrations().map(({ tag }) => tag)
  return [...tags.slice(tags.length - count), ...((await isQueueCurrent(pool)) ? [] : ['任务队列的表'])]
}

const migrateCommand: Command = {
  name: 'migrate',
  usage: USAGE,
  summary: '把数据库升级到本程序的结构（启动服务时也会自动进行）；--dry-run 只列出待执行的迁移',
  async run(args, { env, print }) {
    const { 'dry-run': isDryRun } = parseOptions(args, USAGE, { 'dry-run': { type: 'boolean' } })
    const database = await openExistingDatabase(readConfig(env), print)
    try {
      const listed = isDryRun ? await pendingIn(database.pool) : await migrateDatabase(database.connection)
      print(listed.length > 0 ? `${isDryRun ? '待执行' : '已执行'}：${listed.join('、')}` : '数据库已是最新')
    } finally {
      await database.close()
    }
  },
}

const templateCommand: Command = {
  name: 'template',
  usage: 'template <目录>',
  summary: '（构建时使用）准备内置数据库的模板，让首次启动更快',
  async run([folder]) {
    if (!folder) throw new CommandError('请给出存放模板的目录')
    const made = databaseTemplate()
    await storeTemplate(findBinaries(), folder, made)
    storeKey(made.key)
  },
}

const commands: readonly Command[] = [
  userCreateCommand,
  userResetCommand,
  userDisableCommand,
  tenantCreateCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  otaVerifyCommand,
  migrateCommand,
  templateCommand,
]

function help(print: CommandContext['print']) {
  print('用法：npm run oms -- <命令>\n')
  const width = Math.max(...commands.map(({ usage }) => columnsOf(usage)))
  for (const { usage, summary } of commands) print(`  ${usage}${' '.repeat(width - columnsOf(usage))}  ${summary}`)
}

/** Returns the terminal width of a text. Chinese characters and punctuation use two columns. */
const columnsOf = (text: string) => [...text].reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e7f ? 2 : 1), 0)

/**
 * Runs the command that the arguments of `npm run oms --` name. Throws an error with the complete line to print when
 * the command fails.
 */
export async function runCommand(words: readonly string[], context: CommandContext) {
  if (words.length === 0 || words[0] === 'help' || words.includes('--help')) return help(context.print)
  const command = commands.find(({ name }) => name.split(' ').every((word, place) => words[place] === word))
  if (!command) {
    const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name)
    throw new CommandError(
      `没有命令 ${words.join(' ')}；${near.length > 0 ? `可用：${near.join('、')}；` : ''}npm run oms -- help 列出全部命令`,
    )
  }
  await command.run(words.slice(command.name.split(' ').length), context)
}
