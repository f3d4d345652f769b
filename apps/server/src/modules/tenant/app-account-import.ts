import {
  APP_IMPORT_COLUMNS,
  APP_IMPORT_ROWS,
  AppAccountInput,
  appAccount,
  REGISTER_SOURCE,
} from '@oms/contract/app-account.ts'
import { eq } from 'drizzle-orm'
import { appAccounts } from '#db/schema/tenant.ts'
import { tenantOf } from '#kernel/accounts/new-account.ts'
import { invalid } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { defineImport } from '#kernel/table/import.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { APP_CLASHES, byName } from './app-account.service.ts'

const SOURCES = new Map(Object.entries(REGISTER_SOURCE).map(([code, word]) => [word as string, code]))

/** App accounts of the tenant one works in, from a table: for those who move from another system. */
export const importApps = defineImport({
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
  prepare: async (ctx, { update }) => ({ tenantId: tenantOf(ctx), update: update === '1' }),
  cells: (given) => {
    const { registerSource, ...rest } = given
    // An empty cell says nothing; the schema knows what stands for it.
    return { ...rest, ...(registerSource && { registerSource: SOURCES.get(registerSource) ?? registerSource }) }
  },
  async take({ db, user, now, kernel: _kernel }, { registerTime, ...input }, { tenantId, update }) {
    const fields = {
      ...input,
      mobileNo: input.mobileNo ?? null,
      email: input.email ?? null,
      lastActiveTime: input.lastActiveTime ?? null,
      ...(registerTime && { registerTime }),
    }
    const clash = (error: unknown) => {
      throw uniqueClash(error, APP_CLASHES) ?? error
    }
    const [known] = await byName(db, tenantId, input.account)
    if (known && !update) throw invalid('账号已存在', 'account')
    if (known) {
      await db
        .update(appAccounts)
        .set({ ...fields, ...touched(known, user.uid, now) })
        .where(eq(appAccounts.uid, known.uid))
        .catch(clash)
      return 'updated'
    }
    await db
      .insert(appAccounts)
      .values({ ...fields, tenantId, createBy: user.uid, updateBy: user.uid })
      .catch(clash)
    return 'created'
  },
  async finish({ db, kernel }, { tenantId }) {
    await kernel.events.publish(db, 'changed', { resource: 'account', tenantId })
  },
})
