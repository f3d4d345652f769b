import type { ComponentType } from 'react'
import type { CallAccess } from '#core/auth/session.tsx'

/** A record kind that a select of another module's form can create in place. */
export type CreatableKind =
  | 'device'
  | 'deviceType'
  | 'deviceModel'
  | 'deviceGroup'
  | 'tenant'
  | 'role'
  | 'industry'
  | 'scene'
  | 'storagePackage'
  | 'agent'

export interface NamedRecord {
  readonly id: number
  readonly name: string
}

export interface CreateFormProps {
  onClose(): void
  /** Called after the record was saved, before the form closes. */
  onCreated(record: NamedRecord): void
}

/** The form that creates a record, offered below the options of a select. */
export interface CreateForm<Part extends string = string> extends CallAccess {
  /** Text of the button: 新增型号. */
  readonly label: string
  /** Loads the form's code when the button is pressed. */
  readonly load: () => Promise<{ readonly [Name in NoInfer<Part>]: ComponentType<CreateFormProps> }>
  /** Export name of the form. */
  readonly part: Part
}

const forms = new Map<CreatableKind, CreateForm>()

/**
 * Registers the form of a record kind. Called from the `index.ts` of the module that owns the records, because
 * modules do not import each other.
 */
export function addCreateForm<Part extends string>(kind: CreatableKind, form: CreateForm<Part>) {
  forms.set(kind, form)
}
export const findCreateForm = (kind: CreatableKind) => forms.get(kind)
