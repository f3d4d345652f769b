import { deviceModels } from '@oms/contract/device-model/device-model.ts'
import { KNOWN_BOARDS } from '@oms/contract/device-model/known-boards.ts'
import { Select } from 'antd'
import { useRead } from '#core/api/query.ts'

interface Props {
  readonly id?: string
  readonly value?: readonly string[]
  onChange?(boards: string[]): void
}

/**
 * Select for boards. Suggests the boards that devices reported and the boards of the public firmware, because a
 * mistyped board gets no firmware. Other boards can be typed.
 */
export function BoardSelect({ value, onChange, ...props }: Props) {
  const { data } = useRead(deviceModels.boards, {}, { quiet: true })
  const reported = data?.list ?? []
  const known = KNOWN_BOARDS.filter((board) => !reported.some((each) => each.board === board))
  const options = [
    {
      label: '设备上报过的开发板',
      options: reported.map(({ board, devices }) => ({
        value: board,
        label: devices > 0 ? `${board}（${devices} 台）` : `${board}（未绑定）`,
      })),
    },
    { label: '官方固件的开发板', options: known.map((board) => ({ value: board, label: board })) },
  ]
  return (
    <Select
      {...props}
      mode="tags"
      value={value ? [...value] : []}
      onChange={onChange}
      options={options.filter((group) => group.options.length > 0)}
      optionLabelProp="value"
      tokenSeparators={[',', '，', ';', '；', ' ']}
      placeholder="选择开发板，或输入后按回车"
    />
  )
}
