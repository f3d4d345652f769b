/** Returns the path of a ticket's page below the list that the user came from. The URL contains only the ticket id. */
export const formatTicketPath = (from: '/AfterService/Questions' | '/AfterService/PendingList', id: number) =>
  `${from}/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`

/**
 * Reads the ticket id from the JSON in the query. Returns undefined for invalid JSON or a missing id; ignores other
 * fields.
 */
export function parseTicketId(info: string | null): number | undefined {
  try {
    const parsed: unknown = JSON.parse(info ?? '')
    const id = Number((parsed as { id?: unknown } | null)?.id)
    return Number.isInteger(id) && id > 0 && id <= 2_147_483_647 ? id : undefined
  } catch {
    return undefined
  }
}

/** Returns the list that a detail page belongs to: `Questions` or `PendingList`. */
export const ticketListPath = (pathname: string) =>
  pathname.startsWith('/AfterService/PendingList') ? '/AfterService/PendingList' : '/AfterService/Questions'
