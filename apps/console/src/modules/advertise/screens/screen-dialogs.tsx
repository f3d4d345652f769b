import { adScreens, ScreenInput, type ScreenRow, SMIL_PLAYER, PairInput } from '@oms/contract/advertise/screen.ts'
import { Form, Input, InputNumber, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatScreenSize, NotesWithAdvice, SCREEN_ITEMS } from './screen-cells.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import '../advertise.css'
import { useState } from 'react'
import { useWrite, useRead } from '#core/api/query.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

interface FormProps {
  readonly row: ScreenRow
  readonly onClose: () => void
}

const valuesOf = ({ id, rev, timeZone, audienceFactor, volume, playerKind, width, height }: ScreenRow) => ({
  id,
  rev,
  timeZone,
  audienceFactor,
  volume,
  // Other players report their size.
  ...(playerKind === SMIL_PLAYER && { width, height }),
})

/** Form of a screen: zone, audience factor, volume, and the size of a SMIL player. */
export function ScreenForm({ row, onClose }: FormProps) {
  const read = () => readFresh(adScreens.get, { sn: row.sn }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑屏幕" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: FormProps) {
  const { modal, form } = useFormModal(adScreens.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(adScreens.get, { sn: row.sn })),
  })
  return (
    <Modal title={`编辑屏幕「${row.sn}」`} {...modal}>
      <Form {...form}>
        <Field of={ScreenInput} name="timeZone" hint="IANA 时区名，如 Asia/Shanghai；不填则与管理端一致">
          <Input placeholder="与管理端一致" />
        </Field>
        <NumberField
          of={ScreenInput}
          name="audienceFactor"
          hint="每次播放平均有多少人看到，用于估算曝光；修改后从下一个整点的播放起生效"
        />
        <NumberField of={ScreenInput} name="volume" unit="%" />
        {row.playerKind === SMIL_PLAYER ? (
          <SizeFields />
        ) : (
          <Form.Item label="分辨率">{formatScreenSize(row) || '未知'}（由播放器上报）</Form.Item>
        )}
      </Form>
    </Modal>
  )
}

/** Field properties that show 0 (unknown) as an empty field, and store an empty field as 0. */
const asPixels = {
  normalize: (value: unknown) => value ?? 0,
  getValueProps: (value: unknown) => ({ value: value === 0 ? null : value }),
}

function SizeFields() {
  const form = Form.useFormInstance()
  const width = Form.useWatch('width', form) as number | undefined
  const height = Form.useWatch('height', form) as number | undefined
  const kind = !width || !height ? '' : height > width ? '竖屏' : '横屏'
  return (
    <div className="kit-pair">
      <Field of={ScreenInput} name="width" {...asPixels}>
        <InputNumber placeholder="1920" suffix="像素" />
      </Field>
      <Field of={ScreenInput} name="height" {...asPixels}>
        <InputNumber placeholder="1080" suffix="像素" />
      </Field>
      <p className="kit-hint">
        {kind && `${kind}。`}SMIL 播放器不上报分辨率：素材和画面按这里填写的大小选择，不填则按 1920×1080
      </p>
    </div>
  )
}

/** Screen drawer: warnings, last reported status and history. */
export const ScreenDrawer = (props: RecordNavigation<ScreenRow>) => (
  <RecordDrawer {...props} rowKey="id" bizType="adScreen" title={({ sn }) => sn}>
    {(row) => (
      <>
        <NotesWithAdvice row={row} />
        <Descriptions row={row} items={SCREEN_ITEMS} />
      </>
    )}
  </RecordDrawer>
)

/** Pairs the screen that shows a code with a device. */
export function PairForm({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const { modal, form } = useFormModal(adScreens.pair, { onClose, ...(code !== '' && { initial: { code } }) })
  return (
    <Modal title="配对屏幕" {...modal} okText="配对">
      <p className="kit-hint">在屏幕上用浏览器打开本系统的 /player/，然后输入屏幕显示的六位配对码。</p>
      <Form {...form}>
        <Field of={PairInput} name="code" normalize={removeBlanks}>
          <Input className="ad-pair-code" placeholder="请输入配对码" {...countCode(6)} autoComplete="off" />
        </Field>
        <Field of={PairInput} name="deviceId">
          <DevicePicker create="device" />
        </Field>
      </Form>
    </Modal>
  )
}

interface Made {
  readonly sn: string
  readonly address: string
}

/** Creates the address of a SMIL player for a device, or replaces the address of a screen, and shows it once. */
export function SmilForm({ row, onClose }: { readonly row: ScreenRow | 'new'; readonly onClose: () => void }) {
  const create = useWrite(adScreens.smilKey)
  const [form] = Form.useForm<{ deviceId: number }>()
  const [made, setMade] = useState<Made>()
  const isNew = row === 'new'
  const go = async () => {
    const id = isNew ? (await form.validateFields()).deviceId : row.id
    const { path } = await create.mutateAsync({ id })
    setMade({ sn: isNew ? '' : row.sn, address: `${location.origin}${path}` })
  }
  if (made) return <Address made={made} onClose={onClose} />
  return (
    <Modal
      open
      title={isNew ? '第三方播放器地址' : `更换屏幕「${row.sn}」的第三方播放器地址`}
      okText={isNew ? '生成' : '更换'}
      okButtonProps={{ danger: !isNew }}
      cancelText="取消"
      confirmLoading={create.isPending}
      onOk={() => void go().catch(() => {})}
      onCancel={onClose}
    >
      {isNew ? (
        <Form form={form} layout="vertical">
          <p className="kit-hint">为使用 SMIL 播放器的设备生成地址。</p>
          <Form.Item name="deviceId" label="设备" rules={[{ required: true, message: '请选择设备' }]}>
            <DevicePicker create="device" />
          </Form.Item>
        </Form>
      ) : (
        <p className="kit-hint">旧地址立即失效，播放器填入新地址之前不能获取节目。</p>
      )}
    </Modal>
  )
}

const Address = ({ made: { sn, address }, onClose }: { readonly made: Made; readonly onClose: () => void }) => (
  <OneTimeSecret
    title="第三方播放器地址"
    owner="屏幕"
    account={sn || '新屏幕'}
    label="地址"
    secret={address}
    hint="把地址填入 SMIL 播放器（如 garlic-player、IAdea）的内容地址；之后只能更换，不能再查看。播放器不上报分辨率，竖屏或非 1920×1080 的屏幕请在“编辑”中填写。"
    onClose={onClose}
  />
)

/** Selects a device by its serial number. */
function DevicePicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(adScreens.devices, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, modelName }) => ({
    value: id,
    label: modelName === '' ? name : `${name} · ${modelName}`,
  }))
  return <RecordSelect placeholder="输入序列号搜索设备" {...props} source={{ options, read, onSearch }} />
}
