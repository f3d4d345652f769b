import { account } from '@oms/contract/account/account.ts'
import { useQuery } from '@tanstack/react-query'
import { Flex, Form, Input } from 'antd'
import { call } from '#core/api/client.ts'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'

/** Captcha picture with input; loads a new picture after every attempt. */
export function useCaptcha() {
  const { data, refetch } = useQuery({
    queryKey: ['captcha'],
    queryFn: () => call(account.captcha, {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return { captchaId: data?.captchaId ?? '', svg: data?.svg ?? '', renew: () => void refetch() }
}

export function CaptchaField({ svg, renew }: Pick<ReturnType<typeof useCaptcha>, 'svg' | 'renew'>) {
  return (
    <Form.Item label="图形验证码" required htmlFor="captcha">
      <Flex gap={10}>
        <Form.Item
          name="captcha"
          noStyle
          normalize={removeBlanks}
          rules={[{ required: true, whitespace: true, message: '请输入图形验证码' }]}
        >
          <Input id="captcha" {...countCode(16)} autoComplete="off" style={{ height: 40 }} />
        </Form.Item>
        <button type="button" className="captcha-image" aria-label="看不清，换一张图形验证码" onClick={renew}>
          {svg && <img src={svg} alt="" />}
        </button>
      </Flex>
    </Form.Item>
  )
}
