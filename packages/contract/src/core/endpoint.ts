import type * as z from 'zod'
import type { StatusLabels } from './status-labels.ts'

/** Access rule of an endpoint: public, any session, or one permission string. */
export type Access = 'public' | 'session' | `${string}:${string}:${string}`

/** Operation types of the operation log (dictionary `sys_oper_type`). */
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

/** Limits of an uploaded file: maximum bytes per file, and allowed extensions in lower case without the dot. */
export interface FileRule {
  readonly maxBytes: number
  readonly extensions: readonly string[]
  /** Maximum rows of a table, without its header. Dialogs name the limit before a file is chosen. */
  readonly maxRows?: number
}

/**
 * Declares one API call. The server mounts the endpoint, the console sends requests from it, and tests iterate over
 * all endpoints.
 */
export interface Endpoint<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /**
   * Path with parameters: `:name` is replaced by `input.name`. The other input fields are sent as `carrier` defines.
   */
  readonly path: `/api/v1/${string}`
  readonly access: Access
  readonly input: Input
  readonly result: Result
  /** Success message: the envelope's `msg`, shown as a toast. */
  readonly done?: string
  /** Title in the operation log. Every call other than GET has a title, or `log: false`. */
  readonly title?: string
  /** Operation type in the log. Default: derived from the entry's name (`create` → add, `remove` → remove …). */
  readonly kind?: OperationKind
  /** Labels of the status that the call sets. Buttons and switches of the console show the labels. */
  readonly statusLabels?: StatusLabels
  /** `false` disables logging, for calls that only read. A list names the only input fields that are logged. */
  readonly log?: false | readonly string[]
  /**
   * Encoding of the request body: `json` (default for nested bodies), `form`, `multipart` (the field `file` after all
   * other fields) or `binary`.
   */
  readonly body?: 'form' | 'json' | 'multipart' | 'binary'
  readonly file?: FileRule
  /** Maximum bytes of a JSON body that may exceed `MAX_BODY`. Forms (`x-www-form-urlencoded`) keep `MAX_BODY`. */
  readonly maxBody?: number
  /** The response is a stream (download or server-sent events) instead of an envelope; `result` is unused. */
  readonly stream?: 'download' | 'events'
  /** Requests per minute per session, or per address for public calls. The general limit applies as well. */
  readonly perMinute?: number
  /**
   * The call changes data that all tenants share. Staff whose data scope is limited to chosen tenants is refused, and
   * the console hides the button.
   */
  readonly allTenants?: true
  /**
   * True for a call that creates rows for all tenants in a session of the platform. Staff whose data scope is limited
   * to chosen tenants is refused there, and the console hides the button. Inside a tenant, the rows belong to that
   * tenant.
   */
  readonly createsSharedRows?: true
  /**
   * The call returns a secret and changes nothing. `Idempotency-Key` is ignored, so that every call checks the rights
   * again and is logged.
   */
  readonly revealsSecret?: true
  /** Allows the call for an account that must change its password or has no tenant. */
  readonly beforeSetup?: true
  /** Description for the API document when the title is not sufficient. */
  readonly summary?: string
}

/** Maximum bytes of a request body, except for files and calls with `maxBody`. */
export const MAX_BODY = 1024 * 1024

/** Bytes of one character in JSON when a client escapes the character as `\uXXXX`. */
export const JSON_CHARACTER_BYTES = 6

export type Contract = Readonly<Record<string, Endpoint>>

/** Input type of a caller, before parsing. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
/** Input type of a handler, after defaults and coercion. */
export type ParsedOf<E extends Endpoint> = z.output<E['input']>
export type ResultOf<E extends Endpoint> = z.output<E['result']>

/** Returns where input outside the path is sent: the query for GET and DELETE, the body for POST and PUT. */
export const findInputCarrier = ({ method }: Pick<Endpoint, 'method'>) =>
  method === 'GET' || method === 'DELETE' ? 'query' : 'body'
