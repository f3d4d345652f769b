import { LIMIT_ACCURACY_TEXT, findNoticeError, USAGE_LIMIT } from '../usage/usage-limit.ts'

/** Types of parameter values. `array` is a list separated by semicolons; `switch` is one of the declared choices. */
export type ParamType = 'string' | 'number' | 'boolean' | 'array' | 'json' | 'secret' | 'switch'

export interface Param {
  readonly code: string
  readonly type: ParamType
  /** Default value. */
  readonly value: string
  /** Chinese description for the console. */
  readonly title: string
  /** True when voice servers receive the value in their base configuration. */
  readonly isHandedOut: boolean
  /** Chinese names of the choices of a `switch`, by value. */
  readonly choices?: Readonly<Record<string, string>> | undefined
  /** Range of a number. */
  readonly range?: readonly [number, number] | undefined
  /** True when only accounts of the platform may change the value, including a tenant's own value. */
  readonly isPlatformOnly?: boolean | undefined
}

interface Options {
  readonly choices?: Param['choices']
  readonly range?: Param['range']
  readonly isPlatformOnly?: Param['isPlatformOnly']
}

const own = (code: string, type: ParamType, value: string, title: string, options: Options = {}): Param => ({
  code,
  type,
  value,
  title,
  isHandedOut: false,
  ...options,
})
const handed = (...given: Parameters<typeof own>): Param => ({ ...own(...given), isHandedOut: true })

const HELLO = {
  type: 'hello',
  version: 1,
  transport: 'websocket',
  audio_params: { format: 'opus', sample_rate: 24_000, channels: 1, frame_duration: 60 },
}
const WAKE_WORDS = '你好小智;嘿你好呀;你好小志;小爱同学;你好小鑫;你好小新;小美同学;小龙小龙;喵喵同学;小滨小滨;小冰小冰'
/** Log lines of loguru, the logging library of the voice server. */
const CONSOLE_FORMAT =
  '<green>{time:YYMMDD HH:mm:ss}</green>[<light-blue>{version}-{selected_module}</light-blue>][<light-blue>{extra[tag]}</light-blue>]-<level>{level}</level>-<light-green>{message}</light-green>'
const FILE_FORMAT =
  '{time:YYYY-MM-DD HH:mm:ss} - {version}_{selected_module} - {name} - {level} - {extra[tag]} - {message}'
/** Features that the parameter `features` can turn off. */
const FEATURES = { voiceprint: true, clone: true, knowledge: true, contacts: true, mcp: true }
export type FeatureSwitch = keyof typeof FEATURES
const SECONDS = { range: [1, 86_400] } as const
const DAYS = { range: [1, 3650] } as const

/** All parameters of voice servers, agents and their history, in the order of the console. */
export const PARAMS: readonly Param[] = [
  own('server.secret', 'secret', '', '语音服务密钥，首次启动时自动生成'),
  handed('server.auth.enabled', 'boolean', 'true', '设备连接语音服务时校验令牌'),
  own(
    'server.websocket',
    'string',
    '',
    '语音服务的 WebSocket 地址，多个以分号分隔；留空时用设备访问的主机和 8000 端口',
  ),
  own('server.ota', 'string', '', '设备填写的 OTA 地址，显示在绑定页面；留空时用浏览器访问的地址'),
  own('server.fronted_url', 'string', '', '控制台地址，与绑定验证码一同显示；留空时用设备访问的地址'),
  own('server.mqtt_gateway', 'string', '', 'MQTT 网关地址（主机:端口）'),
  own('server.mqtt_manager_api', 'string', '', 'MQTT 网关管理接口地址（主机:端口）'),
  own('server.mqtt_signature_key', 'secret', '', 'MQTT 网关签名密钥，至少 8 位且含大小写字母'),
  own('server.mcp_endpoint', 'secret', '', 'MCP 接入点地址（含 key= 参数）'),
  own('server.voice_print', 'secret', '', '声纹服务地址（含 key= 参数）'),
  own('server.voiceprint_similarity_threshold', 'number', '0.4', '声纹识别相似度阈值', { range: [0, 1] }),
  handed('device_max_output_size', 'number', '0', '每台设备每天最多输出的字数，0 表示不限制', {
    range: [0, 100_000_000],
  }),
  handed('close_connection_no_voice_time', 'number', '120', '无语音输入多少秒后断开连接', SECONDS),
  handed('tts_timeout', 'number', '10', '语音合成超时（秒）', SECONDS),
  handed('tool_call_timeout', 'number', '30', '工具调用超时（秒）', SECONDS),
  handed('delete_audio', 'boolean', 'true', '使用后删除语音服务上的音频文件'),
  handed('enable_greeting', 'boolean', 'true', '开场时回复问候语'),
  handed('enable_wakeup_words_response_cache', 'boolean', 'true', '缓存唤醒词的回复'),
  handed('enable_stop_tts_notify', 'boolean', 'false', '说话结束时播放提示音'),
  handed('enable_websocket_ping', 'boolean', 'false', '用 WebSocket 心跳保持连接'),
  handed('stop_tts_notify_voice', 'string', 'config/assets/tts_notify.mp3', '说话结束提示音文件'),
  handed('system_error_response', 'string', '我现在有点忙，我们稍后再聊吧。', '语音服务出错时的回复'),
  handed('end_prompt.enable', 'boolean', 'true', '结束对话时说结束语'),
  handed(
    'end_prompt.prompt',
    'string',
    '请以“时间过得真快”开头，用富有感情、依依不舍的话结束这次对话。',
    '结束语提示词',
  ),
  handed('exit_commands', 'array', '退出;关闭', '退出命令，以分号分隔'),
  handed('wakeup_words', 'array', WAKE_WORDS, '唤醒词，以分号分隔'),
  handed('xiaozhi', 'json', JSON.stringify(HELLO), '与设备建立会话的参数（JSON）'),
  handed('log.log_format', 'string', CONSOLE_FORMAT, '语音服务控制台日志格式'),
  handed('log.log_format_file', 'string', FILE_FORMAT, '语音服务文件日志格式'),
  handed('log.log_level', 'string', 'INFO', '语音服务日志级别'),
  handed('log.log_dir', 'string', 'tmp', '语音服务日志目录'),
  handed('log.log_file', 'string', 'server.log', '语音服务日志文件'),
  handed('log.data_dir', 'string', 'data', '语音服务数据目录'),
  own('history.days', 'number', '180', '对话文字保留天数', DAYS),
  own('history.audio_days', 'number', '30', '对话录音保留天数', DAYS),
  own('history.mode', 'switch', '0', '对话记录方式', { choices: { 0: '按智能体设置保存', 1: '只计数，不保存内容' } }),
  own('device.identity', 'switch', '1', '设备客户端标识改变时', { choices: { 0: '仅记录', 1: '拒绝' } }),
  own('order.device_transfer', 'switch', '0', '设备转移给其他客户时，未用完的套餐', {
    choices: { 0: '随设备转移', 1: '拒绝转移' },
  }),
  own(
    'usage.limit',
    'switch',
    USAGE_LIMIT.count,
    `设备没有可用套餐（未购买、已用完或已过期）时。${LIMIT_ACCURACY_TEXT}`,
    {
      isPlatformOnly: true,
      choices: {
        [USAGE_LIMIT.count]: '只计数：照常对话，不提示',
        [USAGE_LIMIT.warn]: '提醒：照常对话，控制台标出超出的设备',
        [USAGE_LIMIT.stop]: '停止：设备只播报提示语，不再对话',
      },
    },
  ),
  own(
    'usage.notice',
    'string',
    '您的语音服务套餐已用完或已过期，请联系服务商续费。',
    '套餐用完后停止对话时，设备播报的提示语',
  ),
  own('features', 'json', JSON.stringify(FEATURES), '功能开关（JSON）'),
]

const byCode = new Map(PARAMS.map((param) => [param.code, param]))

/** Returns the parameter with this code, or undefined. */
export const findParam = (code: string): Param | undefined => byCode.get(code)

/** Maximum length of a parameter's text. */
export const MAX_PARAM_LENGTH = 2000

const STRONG_KEY = /^(?=.*[a-z])(?=.*[A-Z]).{8,}$/
const HOST_PORT = /^[\w.-]+:\d{1,5}$/
const HOST_PORT_CODES = new Set(['server.mqtt_gateway', 'server.mqtt_manager_api'])
const SECRET = /^[\x21-\x7e]{16,}$/

/** Returns the Chinese error of a value, or undefined when the value is valid. */
export function findParamError(code: string, value: string): string | undefined {
  const param = byCode.get(code)
  if (!param) return '没有这个参数'
  if (value.length > MAX_PARAM_LENGTH) return `不能超过 ${MAX_PARAM_LENGTH} 个字符`
  return typeError(param, value) ?? codeError(code, value)
}

function typeError({ type, range, choices }: Param, value: string): string | undefined {
  if (type === 'boolean' && value !== 'true' && value !== 'false') return '应为 true 或 false'
  if (type === 'switch' && choices?.[value] === undefined) return '没有这个选项'
  if (type === 'number') return numberError(value, range)
  if (type === 'json' && !isJsonObject(value)) return '应为 JSON 对象'
  return undefined
}

function numberError(value: string, [min, max]: readonly [number, number] = [0, Number.MAX_SAFE_INTEGER]) {
  if (!/^\d{1,15}(?:\.\d{1,6})?$/.test(value)) return '应为数字'
  return Number(value) < min || Number(value) > max ? `应在 ${min} 到 ${max} 之间` : undefined
}

function codeError(code: string, value: string): string | undefined {
  if (code === 'server.secret') return SECRET.test(value) ? undefined : '至少 16 个字符，只能用英文字母、数字和符号'
  if (code === 'usage.notice') return findNoticeError(value)
  if (value === '') return undefined
  if (code === 'server.mqtt_signature_key') return STRONG_KEY.test(value) ? undefined : '至少 8 位，须含大写和小写字母'
  if (HOST_PORT_CODES.has(code)) return HOST_PORT.test(value) ? undefined : '应为 主机:端口'
  if (code === 'server.websocket')
    return splitVoiceServerAddresses(value).every((each) => isUrl(each, ['ws:', 'wss:']))
      ? undefined
      : '应为 ws:// 或 wss:// 地址'
  if (code === 'server.fronted_url' || code === 'server.ota')
    return isUrl(value, ['http:', 'https:']) ? undefined : '应为 http:// 或 https:// 地址'
  if (code === 'server.mcp_endpoint' || code === 'server.voice_print')
    return isUrl(value, ['http:', 'https:']) && value.includes('key=')
      ? undefined
      : '应为含 key= 的 http:// 或 https:// 地址'
  return undefined
}

/** Returns the addresses of a `server.websocket` value. */
export const splitVoiceServerAddresses = (value: string): string[] =>
  value
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** Scheme, host, optional port and path. The contract runs without the types of a platform, so `URL` is not used. */
const URL_TEXT =
  /^(?<scheme>[a-z]{2,5}:)\/\/(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?(?:[/?#]\S{0,1000})?$/

function isUrl(text: string, protocols: readonly string[]) {
  return protocols.includes(URL_TEXT.exec(text)?.groups?.['scheme'] ?? '')
}

function isJsonObject(text: string) {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && !Array.isArray(found)
  } catch {
    return false
  }
}
