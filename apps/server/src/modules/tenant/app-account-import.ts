import {
  APP_IMPORT_COLUMNS,
  APP_IMPORT_ROWS,
  AppAccountInput,
  appAccount,
  REGISTER_SOURCE,
} from '@oms/contract/tenant/app-account.ts'
import { eq } from 'drizzle-orm'
import { appAccounts } from '#schema/tenant.ts'
import { requireTenant } from '#domain/accounts/new-account.ts'
import { findReceivingProblem } from '#domain/tenants/receiving-tenant.ts'
import { invalid } from '#core/http/api-error.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { pickFilled } from '#core/spreadsheet/import/take-lines.ts'
import { toUniqueViolation } from '#core/database/unique-violation.ts'
import { APP_ACCOUNT_CLASHES, findAppAccountByName } from './app-account.service.ts'

const SOURCES = new Map(Object.entries(REGISTER_SOURCE).map(([code, word]) => [word as string, code]))

/** Imports App accounts of the session's tenant from a spreadsheet, for migration from another system. */
export const importAppAccounts = defineImport({
  kind: 'appAccount',
  endpoint: appAccount.import,
  name: 'App账号',
  schema: AppAccountInput,
  required: ['account'],
  columns: APP_IMPORT_COLUMNS,
  example: {
    account: 'user_0001',
    mobileNo: '13800000000',
    email: 'user@example.com',
    nickname: '示例用户',
    region: '浙江省杭州市',
    registerTime: '2026-01-01 08:00:00',
    registerSource: 'App',
    lastActiveTime: '',
    remark: '示例行，导入前请删除',
  },
  maxRows: APP_IMPORT_ROWS,
  async prepare(ctx, { update }) {
    const tenantId = requireTenant(ctx)
    return { tenantId, problem: await findReceivingProblem(ctx.db, tenantId), update: update === '1' }
  },
  cells: (given) => {
    const { registerSource, ...rest } = given
    // An empty cell gets the default of the schema.
    return { ...rest, ...(registerSource && { registerSource: SOURCES.get(registerSource) ?? registerSource }) }
  },
  async take(
    { db, user, now, services: _kernel },
    { registerTime, ...input },
    { tenantId, problem, update },
    { filled },
  ) {
    const fields = {
      ...input,
      mobileNo: input.mobileNo ?? null,
      email: input.email ?? null,
      lastActiveTime: input.lastActiveTime ?? null,
      ...(registerTime && { registerTime }),
    }
    const clash = (error: unknown) => {
      throw toUniqueViolation(error, APP_ACCOUNT_CLASHES) ?? error
    }
    const [known] = await findAppAccountByName(db, tenantId, input.account)
    if (known && !update) throw invalid('账号已存在', 'account')
    if (known) {
      await db
        .update(appAccounts)
        // An absent column or an empty cell keeps the old value.
        .set({ ...pickFilled(fields, filled), ...updateColumns(known, user.uid, now) })
        .where(eq(appAccounts.uid, known.uid))
        .catch(clash)
      return 'updated'
    }
    if (problem) throw invalid(problem)
    await db
      .insert(appAccounts)
      .values({ ...fields, tenantId, createBy: user.uid, updateBy: user.uid })
      .catch(clash)
    return 'created'
  },
  async finish({ db, services }, { tenantId }) {
    await services.events.publish(db, 'changed', { resource: 'account', tenantId })
  },
})
