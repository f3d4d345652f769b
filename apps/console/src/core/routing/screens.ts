import type { ComponentType } from 'react'
import type { Fields } from '#core/api/wire.ts'

/** Path parameters and query of an opened screen. */
export interface RouteParameters {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
}

/** First request of a screen, sent while the screen's code loads. */
export interface FirstRead {
  readonly path: `/api/v1/${string}`
  readonly input: Fields
  /** Returns the follow-up requests for a response. */
  readonly next?: (response: never) => readonly FirstRead[]
}

/**
 * Declares one route of the console: permission, titles of menu, tab and breadcrumb, and the lazily loaded page. All
 * declarations load at start, so they contain literals and never import a contract.
 */
export interface Screen {
  /** React Router pattern: `/EditOta/:id`. */
  readonly path: `/${string}`
  readonly title: string
  /** Required permission; `session` allows every logged-in account. */
  readonly access: string
  readonly page: () => Promise<{ default: ComponentType }>
  /** Path parameters that must match, otherwise 404: `{ dictId: /^\d+$/ }`. */
  readonly params?: Readonly<Record<string, RegExp>>
  /** Query parameters that open separate tabs of one path. Path parameters always do. */
  readonly identity?: readonly string[]
  /** Sidebar entry of a hidden page: highlighted, and used as parent in the breadcrumb. */
  readonly under?: `/${string}`
  /** Fills the whole window and never becomes a tab. */
  readonly bare?: true
  /** Renders without antd and does not wait for antd's code. */
  readonly plain?: true
  readonly prefetch?: (at: RouteParameters) => readonly FirstRead[]
}

/**
 * Prefetches the first page of a list whose filters and page number are in the URL, with the same input as `useList`.
 */
export const prefetchFirstPage =
  (path: FirstRead['path']) =>
  ({ query }: RouteParameters): readonly FirstRead[] => [
    { path, input: { pageNum: '1', pageSize: '20', ...Object.fromEntries(query) } },
  ]
