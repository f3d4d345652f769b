import { StaffInput, staff } from '@oms/contract/account/staff.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { accounts, roles } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { createStaff, disableStaff, removeStaffMfa, resetStaffPassword } from '#modules/account/staff/staff.ts'
import { runAsActor, createCliActor } from '#core/auth/system-actor.ts'
import { type Command, CommandError } from './command.ts'
import { withServices } from './with-services.ts'
import { parseArguments } from './arguments.ts'

const CREATE = 'user create <账号> [--name <姓名>] [--role <角色编码>…] [--tenant <客户编号>]'
const RESET = 'user reset-password <账号> [--mfa]'
const DISABLE = 'user disable <账号>'

export const userCreateCommand: Command = {
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

export const userResetCommand: Command = {
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

export const userDisableCommand: Command = {
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
