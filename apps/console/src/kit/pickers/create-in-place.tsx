import { PlusOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { refreshReads } from '#core/api/query.ts'
import { Button } from 'antd'
import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { useMayCall } from '#core/auth/session.tsx'
import { loadChunk } from '#core/loading/load-chunk.ts'
import {
  type CreatableKind,
  type CreateForm,
  type CreateFormProps,
  findCreateForm,
  type NamedRecord,
} from '#core/routing/create-forms.ts'
import '#kit/kit.css'

/** Props of antd's Select or TreeSelect that add the button below the options. */
interface PopupProps {
  open?: boolean
  onOpenChange?(open: boolean): void
  popupRender?(menu: ReactElement): ReactElement
}

export interface CreateInPlace {
  /** Spread into the select; empty without the create permission. */
  readonly select: PopupProps
  /** The open form; rendered beside the select. */
  readonly form: ReactNode
  /** Records created so far: options of the select until its own options contain them. */
  readonly created: readonly NamedRecord[]
}

/**
 * Adds a button below the options of a select that creates a missing record. The record's own form opens over the
 * current form, which keeps its input. The caller selects the created record in `onCreated`.
 */
export function useCreateInPlace(
  target: CreatableKind | CreateForm | undefined,
  onCreated: (record: NamedRecord) => void,
): CreateInPlace {
  const mayCall = useMayCall()
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const [created, setCreated] = useState<readonly NamedRecord[]>([])
  const [Form, setForm] = useState<ComponentType<CreateFormProps>>()
  const create = typeof target === 'string' ? findCreateForm(target) : target
  if (!create || !mayCall(create)) return { select: {}, form: null, created }
  const begin = () => {
    setOpen(false)
    const { load, part } = create
    setForm(() => lazy(async () => ({ default: (await loadChunk(load))[part]! })))
  }
  const take = (record: NamedRecord) => {
    setCreated([...created, record])
    onCreated(record)
    // The options may belong to another resource than the saved record.
    void refreshReads(client)
  }
  return {
    created,
    select: {
      open: isOpen,
      onOpenChange: setOpen,
      popupRender: (menu) => <WithCreate menu={menu} label={create.label} onCreate={begin} />,
    },
    form: Form && (
      <Suspense>
        <Form onClose={() => setForm(undefined)} onCreated={take} />
      </Suspense>
    ),
  }
}

interface WithCreateProps {
  readonly menu: ReactElement
  readonly label: string
  onCreate(): void
}

/**
 * The button acts on `mousedown`. Options that arrive during the press would move the button, and the press would end
 * on an option. Clicks by keyboard or screen reader have `detail` 0.
 */
const WithCreate = ({ menu, label, onCreate }: WithCreateProps) => (
  <>
    {menu}
    <Button
      className="kit-create-in-place"
      type="link"
      size="small"
      icon={<PlusOutlined aria-hidden />}
      onMouseDown={(event) => {
        event.preventDefault()
        if (event.button === 0) onCreate()
      }}
      onClick={({ detail }) => {
        if (detail === 0) onCreate()
      }}
    >
      {label}
    </Button>
  </>
)
