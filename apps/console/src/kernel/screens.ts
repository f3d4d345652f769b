import type { ComponentType } from 'react'
import type { Fields } from './wire.ts'

/** Where a screen was opened: path parameters and query. */
export interface ScreenAddress {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
}

/** A first read of a screen, asked for while its code is still on the way. */
export interface FirstRead {
  readonly path: `/api/v1/${string}`
  readonly input: Fields
  /** What its answer makes worth asking next. */
  readonly next?: (answer: never) => readonly FirstRead[]
}

/**
 * One address of the console: who sees it, what menu, tab and breadcrumb call it, and its page, loaded on first visit.
 * The shell loads all of them at once, so they hold literals and never import a contract.
 */
export interface Screen {
  /** React Router pattern: `/EditOta/:id`. */
  readonly path: `/${string}`
  readonly title: string
  /** `session`: anyone logged in; else the permission it needs. */
  readonly access: string
  readonly page: () => Promise<{ default: ComponentType }>
  /** Path parameters that must match, else 404: `{ dictId: /^\d+$/ }`. */
  readonly params?: Readonly<Record<string, RegExp>>
  /** Query parameters that make two tabs of one path different pages. Path parameters always do. */
  readonly identity?: readonly string[]
  /** The sidebar entry a hidden page belongs to: highlighted, and its parent in the breadcrumb. */
  readonly under?: `/${string}`
  /** Fills the whole window and never becomes a tab. */
  readonly bare?: true
  /** Drawn without antd, whose code it does not wait for. */
  readonly plain?: true
  readonly prefetch?: (at: ScreenAddress) => readonly FirstRead[]
}

/** First read of a list screen whose filters and page live in its address, as `useList` asks for it. */
export const firstPage =
  (path: FirstRead['path']) =>
  ({ query }: ScreenAddress): readonly FirstRead[] => [
    { path, input: { pageNum: '1', pageSize: '20', ...Object.fromEntries(query) } },
  ]
