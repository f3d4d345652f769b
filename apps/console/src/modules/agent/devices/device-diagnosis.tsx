import { agentDevices, DIAGNOSIS_STEP } from '@oms/contract/agent/devices/device.ts'
import { AGENT_EVENT } from '@oms/contract/agent/devices/device-event.ts'
import { type DeviceLimit, LIMIT_STATE_CODE, LIMIT_STATE } from '@oms/contract/agent/usage/usage-limit.ts'
import { Alert, Drawer, Form, Input, Timeline } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { Time } from '#kit/record/time.tsx'
import './device.css'

const COLOR: Readonly<Record<number, string>> = { 0: 'red', 1: 'green', 2: 'gray' }

/** Explains the steps of one device, and its last events. */
export function DeviceDiagnosis({ mac }: { readonly mac: string }) {
  const { data, error, refetch } = useRead(agentDevices.diagnose, { mac }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  const { missing, steps, limit, events } = data
  const isWaiting = steps.some(({ key, state }) => key === 'turn' && state !== 1)
  return (
    <>
      {missing === '' ? (
        <Alert type="success" showIcon title={isWaiting ? '设备已连接，还没有说话' : '各步骤均已完成，设备可以对话'} />
      ) : (
        <Alert type="warning" showIcon title={`首个缺失的步骤：${DIAGNOSIS_STEP[missing as 'boot']}`} />
      )}
      {limit && <DeviceLimitAlert limit={limit} />}
      <Timeline
        className="agent-steps"
        items={steps.map(({ key, state, time, words }) => ({
          key,
          color: COLOR[state] ?? 'gray',
          content: (
            <>
              <div className={state === 0 ? 'agent-step-missing' : undefined}>
                {DIAGNOSIS_STEP[key]} {time !== null && <Time at={time} />}
              </div>
              {words !== '' && <div className="kit-muted">{words}</div>}
            </>
          ),
        }))}
      />
      {events.length > 0 && <h3 className="kit-heading">最近记录</h3>}
      <ul className="kit-plain agent-events">
        {events.map(({ id, kind, detail, createTime }) => (
          <li key={id}>
            <Time at={createTime} /> <b>{AGENT_EVENT[kind as 1]}</b> {detail}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Explains how a device behaves that has no package left. */
function DeviceLimitAlert({ limit: { state, reason, heard } }: { readonly limit: DeviceLimit }) {
  if (state === LIMIT_STATE_CODE.normal) return null
  return (
    <Alert
      className="kit-note"
      type={state === LIMIT_STATE_CODE.stopped ? 'error' : 'warning'}
      showIcon
      title={`套餐${LIMIT_STATE[state as 0]}：${reason}`}
      description={heard}
    />
  )
}

const MAC = /^[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}$/i
const MAC_DIGITS = 12

/** Returns true when the text is not the beginning of any MAC. */
const isWrongMac = (text: string) =>
  !MAC.test(text) && (/[^0-9a-f:-]/i.test(text) || text.replaceAll(/[:-]/g, '').length >= MAC_DIGITS)

/** Diagnoses any device by its MAC, also before its binding. */
export function DiagnosisDrawer({ onClose }: { readonly onClose: () => void }) {
  const [mac, setMac] = useState('')
  const asked = mac.trim()
  return (
    <Drawer open size="min(560px, 100vw)" title="接入诊断" onClose={onClose} afterOpenChange={focusFirstFieldOnOpen}>
      <Form layout="vertical">
        <Form.Item
          label="MAC"
          htmlFor="diagnosis-mac"
          {...(isWrongMac(asked) && { validateStatus: 'error' as const, help: 'MAC 应为 12 位十六进制数' })}
        >
          <Input
            id="diagnosis-mac"
            placeholder="如 00:1A:2B:3C:4D:5E"
            value={mac}
            onChange={({ target }) => setMac(target.value)}
          />
        </Form.Item>
      </Form>
      {MAC.test(asked) ? (
        <DeviceDiagnosis mac={asked} />
      ) : (
        <Alert type="info" showIcon title="输入设备的 MAC，查看设备为什么不能对话" />
      )}
    </Drawer>
  )
}
