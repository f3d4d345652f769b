import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { type FirmwareImage, otaImages } from '@oms/contract/upgrade/app-image.ts'
import { COMPONENT_URL, FIRMWARE_COMPONENT } from '@oms/contract/upgrade/ota.ts'
import { Alert, Form } from 'antd'
import { useEffect, useRef } from 'react'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'

type Component = { readonly type?: number; readonly url?: string; readonly fileName?: string } | undefined
const VER_NAME = ['otaVersion', 'verName']

/**
 * Returns the application descriptor of the firmware component in the form: of the component of the type firmware, else of
 * the only `.bin` file. Null for another file, undefined without a component.
 */
function useAppImage(enabled: boolean): FirmwareImage | null | undefined {
  const form = Form.useFormInstance()
  const components = (Form.useWatch('components', { form, preserve: true }) ?? []) as readonly Component[]
  const images = components.filter((each) => each?.fileName?.toLowerCase().endsWith('.bin'))
  const chosen =
    components.find((each) => each?.type === FIRMWARE_COMPONENT) ?? (images.length === 1 ? images[0] : undefined)
  const fileId = COMPONENT_URL.exec(chosen?.url ?? '')?.[1]
  const mayRead = useMayCall()(otaImages.get)
  const { data } = useRead(
    otaImages.get,
    { fileId: fileId ?? '' },
    { enabled: enabled && mayRead && fileId !== undefined, quiet: true, keepPrevious: false },
  )
  return fileId === undefined ? undefined : data?.image
}

/**
 * Fills the version name of voice devices from the uploaded image, unless a person has typed another name. Shows what the
 * image says, and warns when its version differs.
 */
export function FirmwareImageNote({ isOfBoards }: { readonly isOfBoards: boolean }) {
  const form = Form.useFormInstance()
  const image = useAppImage(isOfBoards)
  const verName = String(Form.useWatch(VER_NAME, { form, preserve: true }) ?? '').trim()
  const filled = useRef('')
  const version = image && parseBoardVersion(image.version) !== undefined ? image.version : undefined
  useEffect(() => {
    const current = String(form.getFieldValue(VER_NAME) ?? '').trim()
    if (version === undefined || (current !== '' && current !== filled.current)) return
    filled.current = version
    form.setFieldValue(VER_NAME, version)
    void form.validateFields([VER_NAME]).catch(() => {})
  }, [form, version])
  if (!isOfBoards || image === undefined) return null
  if (image === null)
    return (
      <Alert
        className="kit-note"
        type="warning"
        showIcon
        title="固件文件不是 ESP32 应用镜像，设备无法安装合并的烧录镜像"
      />
    )
  const facts = [image.project, image.chip, `ESP-IDF ${image.idf}`, image.buildTime].filter(Boolean).join('，')
  const differs =
    parseBoardVersion(image.version) === undefined || parseBoardVersion(image.version) !== parseBoardVersion(verName)
  return (
    <Alert
      className="kit-note"
      type={differs ? 'warning' : 'info'}
      showIcon
      title={`镜像版本 ${image.version}（${facts}）${differs ? '，与版本名称不一致，启用时会被拒绝' : ''}`}
    />
  )
}
