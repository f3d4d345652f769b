import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'

/** Maximum number of wrong codes of one account per minute. Codes have six digits, so guesses must be limited. */
const PER_MINUTE = 10
const PER_DAY = 100
const TOO_MANY = '验证码输入错误次数过多，请稍后再试'

type Caller = Pick<Ctx, 'user' | 'services'>
const keyOf = ({ user }: Caller) => `bind:${user.uid}`

/** Throws when the account entered too many wrong codes. */
export async function assertMayTryCode(caller: Caller) {
  const { rate, database } = caller.services
  const key = keyOf(caller)
  if (!rate.tryTake(key, PER_MINUTE)) throw invalid(TOO_MANY, 'code')
  const { rows } = await database.pool.query<{ count: number }>(
    'select count from login_failures where key = $1 and lock_until > now()',
    [key],
  )
  if ((rows[0]?.count ?? 0) >= PER_DAY) throw invalid(TOO_MANY, 'code')
}

/** Removes the attempt with a correct code from the count. */
export const uncountCode = (caller: Caller) => caller.services.rate.giveBack(keyOf(caller), PER_MINUTE)

/** Counts a wrong code for a day, outside the transaction of the refused call. */
export const countWrongCode = (caller: Caller) =>
  caller.services.database.pool.query(
    `insert into login_failures as f (key, count, last_time, lock_until) values ($1, 1, now(), now() + interval '1 day')
     on conflict (key) do update set last_time = now(),
       count = case when f.lock_until > now() then f.count + 1 else 1 end,
       lock_until = case when f.lock_until > now() then f.lock_until else excluded.lock_until end`,
    [keyOf(caller)],
  )
