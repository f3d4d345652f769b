/** Where a ticket opens: from the list it stands in. Only its id travels; the rest is asked for. */
export const ticketAddress = (from: '/AfterService/Questions' | '/AfterService/PendingList', id: number) =>
  `${from}/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`

/** The id in the query's JSON; undefined when it is no JSON, or names no ticket. Everything else in it is ignored. */
export function ticketIdIn(info: string | null): number | undefined {
  try {
    const parsed: unknown = JSON.parse(info ?? '')
    const id = Number((parsed as { id?: unknown } | null)?.id)
    return Number.isInteger(id) && id > 0 && id <= 2_147_483_647 ? id : undefined
  } catch {
    return undefined
  }
}

/** `Questions` or `PendingList`: the list a detail page belongs to. */
export const listOf = (pathname: string) =>
  pathname.startsWith('/AfterService/PendingList') ? '/AfterService/PendingList' : '/AfterService/Questions'
