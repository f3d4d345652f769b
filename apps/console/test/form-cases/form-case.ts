import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { ReactNode } from 'react'
import type { Fields } from './contract-server.ts'

/** One form of the console with the values that its test enters. */
export interface FormCase {
  readonly name: string
  /** Source file below `src/modules`. */
  readonly file: string
  readonly save: Endpoint
  /** The field that the test changes and the server refuses. */
  readonly field: string
  /** Renders the opened form. `record` is the row from which a person opens it. */
  readonly form: (close: () => void, record: Fields) => ReactNode
  /** The values entered in `field`, when a text does not fit. Null: the test leaves the field as it is. */
  readonly values?: readonly [string, string] | null
  /** Texts that the test enters in the other required fields, by field name. */
  readonly fill?: Readonly<Record<string, string>>
  /** Required selects; the test chooses the first option. */
  readonly choose?: readonly string[]
  /** Data that the form needs besides its record. */
  readonly reads?: readonly (readonly [Endpoint, object])[]
  readonly record?: {
    readonly read: Endpoint
    /** Where the response holds the record. Default: the response is the record. */
    readonly at?: 'list' | 'rows' | 'contact'
    readonly values?: Fields
    /** False for a form that does not display the values of the record it changes. */
    readonly isShown?: false
  }
  /** False when the refused field cannot show a message; the toast shows it. */
  readonly atField?: false
  /** A form that belongs to its page stays open after saving. */
  readonly stays?: true
  /** Text that the console shows in place of the form after saving. */
  readonly opens?: string
}

/** Two options of a select. */
export const buildOptions = (values: Fields = {}) => ({
  list: [1, 2].map((id) => ({ id, uid: id, name: `选项${id}`, status: 1, parentId: 0, children: [], ...values })),
})
