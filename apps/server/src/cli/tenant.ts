import { createOneTimePassword } from '#core/auth/challenge.ts'
import { runAsActor, createCliActor } from '#core/auth/system-actor.ts'
import { createTenantWithAdmin } from '#modules/tenant/open-tenant.ts'
import { type Command, CommandError } from './command.ts'
import { withServices } from './with-services.ts'
import { parseArguments } from './arguments.ts'

const USAGE = 'tenant create <名称> [--contact <联系人>] [--admin <账号>]'
const LIMITS = { name: 50, contact: 20 } as const

export const tenantCreateCommand: Command = {
  name: 'tenant create',
  usage: USAGE,
  summary: '新增客户、首位管理员及其一次性密码，并给予默认业务场景',
  async run(args, context) {
    const { first: name, values } = parseArguments(args, USAGE, {
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
