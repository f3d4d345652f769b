import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { Alert } from 'antd'
import { useRead } from '#core/api/query.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'

const MISSING = 0
const DOWN = 2
const OFF = 3

/** False while the parameter `features` turns voiceprints off. */
export const useHasVoiceprints = () => useRead(voiceprints.service, {}, { quiet: true }).data?.state !== OFF

/** Returns why no voice can be recorded or tested, or undefined. */
export function useVoiceprintProblem() {
  const { data } = useRead(voiceprints.service, {}, { quiet: true })
  if (data?.state === MISSING) return '还没有声纹服务'
  return data?.state === DOWN ? data.message : undefined
}

const ToParams = () => <PermittedLink to="/agent/params">参数</PermittedLink>

/** Explains why voiceprints do not work: no service, a service that does not respond, or the feature is off. */
export function VoiceprintServiceNote() {
  const { data } = useRead(voiceprints.service, {}, { quiet: true })
  if (data?.state === MISSING)
    return (
      <Alert
        type="info"
        showIcon
        title={
          <>
            还没有声纹服务。部署 voiceprint-api 后，把它的健康检查地址填入
            <ToParams /> server.voice_print。
          </>
        }
      />
    )
  if (data?.state === DOWN) return <Alert type="warning" showIcon title={data.message} />
  if (data?.state === OFF)
    return (
      <Alert
        type="info"
        showIcon
        title={
          <>
            声纹功能已停用，可在
            <ToParams /> features 中启用。
          </>
        }
      />
    )
  return null
}
