import type { account } from '@oms/contract/account.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { accounts } from '#db/schema/account.ts'
import type { PublicCtx } from '#kernel/context.ts'
import { conflict } from '#kernel/problem.ts'
import { ACCOUNT_CLASHES, uniqueClash } from '#kernel/unique.ts'
import { demandCaptcha } from './captcha.ts'
import { demandStrength } from './password.service.ts'

/** Makes an account without tenant or role: it sees its own profile until somebody admits it. */
export async function register(ctx: PublicCtx, input: ParsedOf<typeof account.register>) {
  const { pswdMd5, captcha, captchaId, mobileNo, email, ...rest } = input
  await demandCaptcha(ctx.db, { captcha, captchaId })
  demandStrength(pswdMd5, 'pswdMd5')
  const passwordHash = await ctx.kernel.passwords.hash(pswdMd5)
  const [created] = await ctx.db
    .insert(accounts)
    .values({ ...rest, mobileNo: mobileNo ?? null, email: email ?? null, passwordHash })
    .returning({ uid: accounts.uid })
    .catch((error: unknown) => {
      throw uniqueClash(error, ACCOUNT_CLASHES) ?? error
    })
  if (!created) throw conflict('注册失败，请重试')
  return created
}
