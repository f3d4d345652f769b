import type { Ctx } from '#core/http/context.ts'
import { mayCall } from '#core/tenancy/tenancy.ts'
import { listFirstSteps } from './first-steps.ts'
import { TODOS } from './todos.ts'

/** Lists the account's pending work. Omits kinds of work with a count of 0. */
export async function listTodos(ctx: Ctx) {
  const list = []
  for (const { key, title, url, calls, count } of TODOS) {
    if (calls.length > 0 && !calls.some((call) => mayCall(ctx.user, call))) continue
    const waiting = await count(ctx)
    if (waiting > 0) list.push({ key, title, url: typeof url === 'string' ? url : url(ctx), count: waiting })
  }
  return { list, steps: await listFirstSteps(ctx) }
}
