import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, reference, textLine } from '../../core/fields.ts'
import { limitRecordKeys } from '../keyed-values.ts'

/**
 * Names of device tools that the console never calls. They install an image from any address, and a wrong image makes a
 * device unusable. Releases install firmware instead, because their images match the board.
 */
export const FORBIDDEN_TOOLS: ReadonlySet<string> = new Set(['self.upgrade_firmware', 'self.assets.set_download_url'])
/** Name of the tool that restarts the device. A device requests upgrades when it boots. */
export const REBOOT_TOOL = 'self.reboot'
export const MAX_ARGUMENT = 1000
const MAX_ARGUMENTS = 50

/** Chinese names of the tools of the firmware xiaozhi-esp32. The console shows other tools by their own name. */
export const TOOL_NAMES: Readonly<Record<string, string>> = {
  'self.get_device_status': '查询设备状态',
  'self.get_system_info': '查询系统信息',
  'self.audio_speaker.set_volume': '设置音量',
  'self.screen.set_brightness': '设置屏幕亮度',
  'self.screen.set_theme': '设置屏幕主题',
  'self.screen.get_info': '查询屏幕信息',
  'self.screen.snapshot': '屏幕截图',
  'self.screen.preview_image': '在屏幕上显示图片',
  'self.camera.take_photo': '拍照并说明',
  [REBOOT_TOOL]: '重启设备',
}

/** Returns the name of a tool that the console shows. */
export const findToolName = (name: string) => TOOL_NAMES[name] ?? name

const ToolField = z.object({
  name: z.string(),
  type: z.enum(['string', 'integer', 'boolean']),
  description: z.string(),
  required: z.boolean(),
  /** Bounds of an integer; null: none. */
  minimum: z.number().nullable(),
  maximum: z.number().nullable(),
})
export const DeviceTool = z.object({
  name: z.string().meta({ title: '工具' }),
  description: z.string().meta({ title: '说明' }),
  fields: z.array(ToolField),
})
export type DeviceTool = z.output<typeof DeviceTool>

const ROOT = '/api/v1/agent/device/tool'
const value = z.union([z.string().max(MAX_ARGUMENT, `不能超过${MAX_ARGUMENT}个字符`), z.number(), z.boolean()])

/** Tools of a device that is connected to the MQTT gateway (`/agent/device`). */
export const agentDeviceTools = {
  /** Whether the parameters of the device's tenant name an MQTT gateway. */
  feature: {
    method: 'GET',
    path: `${ROOT}/feature`,
    access: 'agent:device:call',
    input: z.object({ deviceId: reference('设备') }),
    result: z.object({ isEnabled: z.boolean() }),
  },
  list: {
    method: 'GET',
    path: `${ROOT}/:id`,
    access: 'agent:device:call',
    perMinute: 30,
    input: z.object({ id }),
    result: z.object({ list: z.array(DeviceTool) }),
  },
  call: {
    method: 'POST',
    path: `${ROOT}/:id`,
    access: 'agent:device:call',
    title: '调用固件工具',
    kind: 'other',
    log: ['id', 'name'],
    perMinute: 30,
    body: 'json',
    input: z.object({
      id,
      name: textLine('工具', 100).refine(
        (name) => !FORBIDDEN_TOOLS.has(name),
        '不能调用该工具，固件请通过版本发布升级',
      ),
      arguments: limitRecordKeys(
        z.record(z.string().max(50, '参数名不能超过50个字符'), value),
        MAX_ARGUMENTS,
        `参数最多${MAX_ARGUMENTS}个`,
      )
        .default({})
        .meta({ title: '参数' }),
    }),
    result: z.object({
      isError: z.boolean(),
      /** Text that the device returned. */
      text: z.string().meta({ title: '返回内容' }),
    }),
  },
} as const satisfies Contract
