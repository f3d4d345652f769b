import { HOME_BLOCKS, type home as calls } from '@oms/contract/home/home.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { Ctx } from '#core/http/context.ts'
import { BLOCKS } from './home-blocks.ts'
import { spreadsOf, trendsOf } from './trend.service.ts'

/** Returns the blocks that this account may see. Other blocks are not named. */
const granted = ({ user }: Ctx) => HOME_BLOCKS.filter((key) => BLOCKS[key].may(user))

export const blocks = (ctx: Ctx) => ({
  zone: ctx.services.config.timeZone,
  blocks: granted(ctx).map((key) => {
    const { title, resources } = BLOCKS[key]
    return { key, title, resources: [...resources] }
  }),
  trends: trendsOf(ctx.user),
  spreads: spreadsOf(ctx.user),
})

export async function summary(ctx: Ctx, { block }: ParsedOf<typeof calls.summary>) {
  const wanted = granted(ctx).filter((key) => block === undefined || key === block)
  const filled = []
  // Sequential: a tenant's account reads inside one transaction, which runs one query at a time.
  for (const key of wanted) filled.push({ key, title: BLOCKS[key].title, ...(await BLOCKS[key].load(ctx)) })
  return { blocks: filled }
}
