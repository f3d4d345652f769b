import { agentContacts, ContactInput, type ContactRow } from '@oms/contract/agent/devices/contact.ts'
import { useRead } from '#core/api/query.ts'
import { Field, SwitchField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

interface Props {
  readonly row: ContactRow | 'new'
  /** Device whose address book gets the contact. */
  readonly deviceId: number
  onClose(): void
}

/** Adds or edits a contact of a device. The target of a contact does not change. */
export const ContactForm = ({ row, deviceId, onClose }: Props) => (
  <RecordForm
    calls={agentContacts}
    noun="联系人"
    row={row}
    nameOf={({ alias }) => alias}
    initial={{ deviceId, allowed: 1 }}
    onClose={onClose}
  >
    {(stored) => (
      <>
        {stored === undefined && (
          <Field of={ContactInput} name="targetId" hint="同一客户的其他语音设备">
            <TargetPicker deviceId={deviceId} />
          </Field>
        )}
        <TextField of={ContactInput} name="alias" hint="对设备说“呼叫……”时使用的名字" />
        <SwitchField of={ContactInput} name="allowed" on="允许" off="不允许" />
      </>
    )}
  </RecordForm>
)

/** Selects a device of the same tenant by name or MAC. */
function TargetPicker({ deviceId, ...props }: RecordSelectProps & { readonly deviceId: number }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(agentContacts.targets, { deviceId, keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, mac }) => ({ value: id, label: `${name} · ${mac}` }))
  return (
    <RecordSelect
      placeholder="输入名称或 MAC 搜索设备"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
