import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { type AgentChoices, agents } from '@oms/contract/agent/agents/agent.ts'
import { AGENT_TOOL, AgentInput, CONTEXT_FACT, KNOWLEDGE_PLUGIN } from '@oms/contract/agent/agents/agent-input.ts'
import { Button, Form, Input, Select } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { SelectField } from '#kit/form/field.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import './agent.css'

type Secrets = Readonly<Record<string, string>>
const storedText = (lastFour: string) => (lastFour ? `已设置，尾号 ${lastFour}；留空不修改` : '已设置；留空不修改')

/** Returns the form rule that a text matches an expression. */
const matching = (pattern: RegExp, message: string) => ({
  validator: async (_rule: unknown, value: unknown) => {
    if (!pattern.test(String(value ?? ''))) throw new Error(message)
  },
})

interface Props {
  readonly choices: AgentChoices
  readonly secrets: Secrets
}

/** Fields for the plugins of an agent, with the parameters of their providers. */
export function PluginFields({ choices, secrets }: Props) {
  const form = Form.useFormInstance()
  // The code of a plugin has no field of its own, so only the preserved values contain it.
  const watched: unknown = Form.useWatch('plugins', { form, preserve: true })
  const chosen = (watched ?? []) as readonly { providerCode: string }[]
  const isOff = (code: string) => code === KNOWLEDGE_PLUGIN && !choices.features.knowledge
  const free = choices.plugins.filter(
    ({ code }) => !isOff(code) && !chosen.some(({ providerCode }) => providerCode === code),
  )
  return (
    <>
      <h3 className="kit-heading">插件</h3>
      <Form.List name="plugins">
        {(rows, { add, remove }) => (
          <>
            {rows.map(({ key, name }) => (
              <Plugin
                key={key}
                at={name}
                of={choices.plugins.find(({ code }) => code === chosen[name]?.providerCode)}
                code={chosen[name]?.providerCode ?? ''}
                secrets={secrets}
                isOff={isOff(chosen[name]?.providerCode ?? '')}
                onRemove={() => remove(name)}
              />
            ))}
            <PluginAdder free={free} onAdd={add} />
          </>
        )}
      </Form.List>
    </>
  )
}

interface PluginProps {
  readonly at: number
  readonly of: AgentChoices['plugins'][number] | undefined
  readonly code: string
  readonly secrets: Secrets
  /** True for a plugin that the parameter `features` turns off. */
  readonly isOff: boolean
  onRemove(): void
}

const Plugin = ({ at, of, code, secrets, isOff, onRemove }: PluginProps) => (
  <div className="kit-box">
    <header className="kit-row kit-apart">
      {of?.name ?? code}
      <Button
        type="text"
        size="small"
        icon={<DeleteOutlined />}
        aria-label={`移除插件 ${of?.name ?? code}`}
        onClick={onRemove}
      />
    </header>
    {isOff && <p className="kit-muted">参数 features 停用了 knowledge，设备得不到这个插件。</p>}
    <div className="kit-pair">
      {of?.fields.map(({ key, label, secret }) => {
        const lastFour = secrets[`plugin.${code}.${key}`]
        return (
          <Form.Item key={key} name={[at, 'params', key]} label={label}>
            {secret ? (
              <Input.Password
                visibilityToggle={false}
                autoComplete="new-password"
                placeholder={lastFour === undefined ? '未设置' : storedText(lastFour)}
              />
            ) : (
              <Input placeholder={`请输入${label}`} maxLength={2000} />
            )}
          </Form.Item>
        )
      })}
    </div>
  </div>
)

const TOOLS = Object.entries(AGENT_TOOL).map(([value, label]) => ({ value, label }))

/**
 * Field for the tools of OMS that the agent uses for its device, and the access point for external tools. `isOn` is true
 * while the feature `mcp` of the tenant is on.
 */
export const ToolFields = ({ isOn, agentId }: { readonly isOn: boolean; readonly agentId: number }) => (
  <>
    <h3 className="kit-heading">设备工具</h3>
    {!isOn && <p className="kit-muted">参数 features 停用了 mcp，设备得不到这些工具，也得不到外部接入点。</p>}
    <SelectField
      of={AgentInput}
      name="tools"
      multiple
      options={TOOLS}
      hint="对话中由智能体按需使用，只作用于正在对话的设备；需要意图识别为“函数调用”。「设置提醒」到时间后在下次对话时告知，设备不会自己出声"
    />
    {isOn && <AccessPoint agentId={agentId} />}
  </>
)

/** Shows the address at which a tool provider attaches tools to the agent, and the tools that are attached now. */
function AccessPoint({ agentId }: { readonly agentId: number }) {
  const read = useWrite(agents.accessPoint)
  const { address = '', tools = [], problem = '' } = read.data ?? {}
  return (
    <Allowed to={agents.accessPoint}>
      <p className="kit-muted">外部工具：工具程序连接该智能体的 MCP 接入点后，设备在对话中可以使用它的工具。</p>
      <Button loading={read.isPending} onClick={() => read.mutate({ id: agentId })}>
        查看 MCP 接入点
      </Button>
      {read.data && address === '' && <p>没有设置参数 server.mcp_endpoint。</p>}
      {address !== '' && (
        <>
          <p>
            接入地址 <CopyText text={address} />
          </p>
          <p>{problem ? `没有可用的工具：${problem}` : `已接入 ${tools.length} 个工具`}</p>
          <ul>
            {tools.map(({ name, description }) => (
              <li key={name}>
                {name} <span className="kit-muted">{description}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Allowed>
  )
}

const FACTS = Object.entries(CONTEXT_FACT).map(([value, label]) => ({ value, label }))

/**
 * Fields for facts of the device, and for sources that the voice server requests before each conversation. Never shows
 * stored header values.
 */
export function ContextFields() {
  return (
    <>
      <h3 className="kit-heading">上下文来源</h3>
      <SelectField
        of={AgentInput}
        name="contextFacts"
        multiple
        options={FACTS}
        hint="设备连接时，语音服务向本系统取得所选信息并放进角色设定；不选则不提供"
      />
      <p className="kit-muted">其他来源：设备连接时，语音服务访问这些地址，把返回的内容放进角色设定。</p>
      <Form.List name="contextProviders">
        {(rows, { add, remove }) => (
          <>
            {rows.map(({ key, name }) => (
              <ContextSource key={key} at={name} onRemove={() => remove(name)} />
            ))}
            {rows.length < 5 && (
              <Button type="dashed" icon={<PlusOutlined />} onClick={() => add({ url: '', headers: [] })}>
                添加来源
              </Button>
            )}
          </>
        )}
      </Form.List>
    </>
  )
}

const Headers = ({ at }: { at: number }) => (
  <Form.List name={[at, 'headers']}>
    {(rows, { add, remove }) => (
      <>
        {rows.map(({ key, name }) => (
          <div key={key} className="agent-header-row">
            <Form.Item name={[name, 'name']} rules={[matching(/^[A-Za-z0-9-]{1,64}$/, '请输入请求头名称')]}>
              <Input aria-label="请求头名称" placeholder="Authorization" maxLength={64} />
            </Form.Item>
            <Form.Item name={[name, 'value']}>
              <Input.Password
                visibilityToggle={false}
                aria-label="请求头的值"
                autoComplete="new-password"
                placeholder="留空不修改"
                maxLength={2000}
              />
            </Form.Item>
            <Button type="text" icon={<DeleteOutlined />} aria-label="移除请求头" onClick={() => remove(name)} />
          </div>
        ))}
        <Button type="link" size="small" icon={<PlusOutlined />} onClick={() => add({ name: '' })}>
          添加请求头
        </Button>
      </>
    )}
  </Form.List>
)

const ContextSource = ({ at, onRemove }: { at: number; onRemove(): void }) => (
  <div className="kit-box">
    <header className="kit-row kit-apart">
      来源 {at + 1}
      <Button type="text" size="small" icon={<DeleteOutlined />} aria-label={`移除来源 ${at + 1}`} onClick={onRemove} />
    </header>
    <Form.Item
      name={[at, 'url']}
      label="地址"
      required
      rules={[matching(/^https?:\/\/\S+$/, '地址须以 http:// 或 https:// 开头')]}
    >
      <Input placeholder="https://" maxLength={500} />
    </Form.Item>
    <Headers at={at} />
  </div>
)

interface AdderProps {
  readonly free: AgentChoices['plugins']
  onAdd(plugin: object): void
}

/** Adds a plugin with the defaults of its provider. */
function PluginAdder({ free, onAdd }: AdderProps) {
  if (free.length === 0) return null
  const choose = (code: string | null) => {
    const provider = free.find((each) => each.code === code)
    if (!provider) return
    const filled = provider.fields.filter((field) => field.default !== '' && !field.secret)
    onAdd({ providerCode: code, params: Object.fromEntries(filled.map((each) => [each.key, each.default])) })
  }
  return (
    <Select
      aria-label="添加插件"
      placeholder="添加插件"
      style={{ width: 220 }}
      value={null}
      options={free.map(({ code, name }) => ({ value: code, label: name }))}
      onChange={choose}
    />
  )
}
