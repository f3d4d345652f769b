import type * as z from 'zod'

/** Who may call: anyone, anyone logged in, or holders of one permission string. */
export type Access = 'public' | 'session' | `${string}:${string}:${string}`

/** Operation kinds of the operation log (dictionary `sys_oper_type`). */
export const OPERATION = {
  other: 0,
  add: 1,
  edit: 2,
  remove: 3,
  grant: 4,
  export: 5,
  import: 6,
  forceOut: 7,
  clean: 9,
} as const
export type OperationKind = keyof typeof OPERATION

/** Limits of an uploaded file: bytes of one file, allowed extensions (lower case, no dot). */
export interface FileRule {
  readonly maxBytes: number
  readonly extensions: readonly string[]
}

/** One call the console can make. The server mounts it, the client sends it, the tests walk it. */
export interface Endpoint<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `:name` is filled from `input.name`; the rest of the input travels where `carrier` says. */
  readonly path: `/api/v1/${string}`
  readonly access: Access
  readonly input: Input
  readonly result: Result
  /** Toast after success; it is the envelope's `msg`. */
  readonly done?: string
  /** What the operation log calls it. Every call that is not a GET has one, or `log: false`. */
  readonly title?: string
  /** Operation kind in the log; derived from the entry's name when absent (`create` → add, `remove` → remove …). */
  readonly kind?: OperationKind
  /** `false`: not logged (reading-like writes). A list: only these input fields reach the log. */
  readonly log?: false | readonly string[]
  /** How the console sends the body: `json` (default for nested bodies), `form`, `multipart` (one field `file`), or `binary` (raw bytes). */
  readonly body?: 'form' | 'json' | 'multipart' | 'binary'
  readonly file?: FileRule
  /** The answer is not an envelope but a stream (a download, server-sent events); `result` is unused. */
  readonly stream?: 'download' | 'events'
  /** Calls a minute one session (or one address, when public) may make; the general limit applies beside it. */
  readonly perMinute?: number
  /** The call works for an account that still has to change its password, or has no tenant. */
  readonly beforeSetup?: true
  /** One line for the API document where the title is not enough. */
  readonly summary?: string
}

export type Contract = Readonly<Record<string, Endpoint>>

/** What a caller writes. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
/** What a handler receives, after defaults and coercion. */
export type ParsedOf<E extends Endpoint> = z.output<E['input']>
export type ResultOf<E extends Endpoint> = z.output<E['result']>

/** Where the input beyond the path travels: GET and DELETE in the query, POST and PUT in the body. */
export const carrier = ({ method }: Pick<Endpoint, 'method'>) =>
  method === 'GET' || method === 'DELETE' ? 'query' : 'body'
