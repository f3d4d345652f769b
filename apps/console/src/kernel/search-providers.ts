/** One hit of the search over everything (Ctrl/⌘ K). */
export interface SearchHit {
  readonly key: string
  readonly title: string
  /** What kind of thing it is, and what tells it from its like: `设备 · SN2026…`. */
  readonly detail: string
  /** The address it opens. */
  readonly to: string
}

/** Finds records of one kind. Asked only when the account holds `access`. */
export interface SearchProvider {
  readonly name: string
  readonly access: string
  find(keyword: string, signal: AbortSignal): Promise<readonly SearchHit[]>
}

const providers: SearchProvider[] = []

/**
 * Adds a kind of record to the search; modules do it in their `*.screens.ts`.
 * @public
 */
export const addSearchProvider = (provider: SearchProvider) => {
  providers.push(provider)
}
export const searchProviders = (): readonly SearchProvider[] => providers
