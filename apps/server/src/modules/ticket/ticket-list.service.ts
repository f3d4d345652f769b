import type { feedback } from '@oms/contract/feedback.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, type Column, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { tickets } from '#db/schema/ticket.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { paginate } from '#kernel/query.ts'
import { isWalled } from '#kernel/tenancy.ts'
import {
  isOpen,
  matching,
  namelessTickets,
  pendingFor,
  pendingOrder,
  shownTickets,
  TICKET_NAMES,
  ticketOrder,
  visible,
} from './ticket-rows.ts'

type Input = ParsedOf<typeof feedback.page>

/** Filters simple enough for a prepared statement each. */
const HOT: Readonly<Record<string, Column>> = {
  status: tickets.status,
  problemType: tickets.problemType,
  priority: tickets.priority,
  modelId: tickets.modelId,
  tenantId: tickets.tenantId,
  handlerId: tickets.handlerId,
}

const filtersOf = ({ pageNum: _n, pageSize: _s, orderByColumn: _o, isAsc: _a, ...filters }: Input) =>
  Object.entries(filters).filter(([, value]) => value !== undefined)

/** Whoever sees everything, and asks for nothing unusual, gets the page from a prepared statement. */
const isHot = (user: User, set: readonly [string, unknown][]): boolean =>
  user.scope.tenants === 'all' && !user.scope.ownOnly && set.every(([key]) => key in HOT) && !isWalled(user)

interface Kind {
  readonly name: string
  readonly order: SQL[]
  /** Beside the filter; `hot` reads it from the placeholder `me`. */
  readonly also: (me: number | SQL) => SQL | undefined
}

async function pageOfKind({ db, user, kernel }: Ctx, input: Input, { name, order, also }: Kind) {
  const { uid } = user
  const set = filtersOf(input)
  if (!isHot(user, set)) {
    const rows = shownTickets(db).where(and(visible(user), also(uid), matching(input)))
    return paginate(db, rows, input, order)
  }
  const shape = ['ticket', name, ...set.map(([key]) => key), input.orderByColumn, input.isAsc].join(' ')
  const query = () => ({
    select: () => namelessTickets(db),
    key: tickets.id,
    where: and(also(sql`${sql.placeholder('me')}`), ...set.map(([key]) => eq(HOT[key]!, sql.placeholder(key)))),
    order,
    names: TICKET_NAMES,
  })
  return kernel.lists.page(shape, query, { ...Object.fromEntries(set), me: uid }, input)
}

export const page = (ctx: Ctx, input: Input) =>
  pageOfKind(ctx, input, { name: 'all', order: ticketOrder(input), also: () => undefined })

export async function pending(ctx: Ctx, input: Input) {
  const found = await pageOfKind(ctx, input, { name: 'pending', order: pendingOrder(input), also: pendingFor })
  return { ...found, counts: await countsOf(ctx.db, ctx.user) }
}

/** What the tiles above the pending list say. Only what is open is read. */
async function countsOf(db: Db, user: User) {
  const mine = sql`${tickets.handlerId} = ${user.uid}`
  const count = (condition: SQL) => sql<number>`(count(*) filter (where ${condition}))::int`
  const [row] = await db
    .select({
      mine: count(mine),
      unassigned: count(sql`${tickets.handlerId} is null`),
      near: count(sql`${tickets.slaState} = 2`),
      breached: count(sql`${tickets.slaState} = 3`),
      reminded: count(sql`${tickets.status} = 4 and ${tickets.suspendUntil} <= now() + interval '1 day' and ${mine}`),
    })
    .from(tickets)
    .where(and(visible(user), isOpen, or(eq(tickets.handlerId, user.uid), isNull(tickets.handlerId))))
  return row ?? { mine: 0, unassigned: 0, near: 0, breached: 0, reminded: 0 }
}
