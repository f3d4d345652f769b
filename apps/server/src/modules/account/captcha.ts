import type { Db } from '#core/database/client.ts'
import { answerChallenge, createChallenge } from '#core/auth/challenge.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { ApiError } from '#core/http/api-error.ts'
import { createCaptchaPainter, type CaptchaDrawer } from './captcha-picture.ts'

const MINUTES = 5

/** Creates a captcha of four unambiguous characters, valid for one answer within five minutes. */
export async function createCaptcha({ db }: PublicCtx) {
  // Imported on first use, because the module reads a font and would delay the start.
  const { default: svgCaptcha } = await import('svg-captcha')
  const { text, svg } = createCaptchaPainter(svgCaptcha as unknown as CaptchaDrawer)
  const captchaId = await createChallenge(db, { kind: 'captcha', answer: text, minutes: MINUTES })
  return { captchaId, svg: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` }
}

/**
 * Throws for a missing or wrong answer. Every attempt invalidates the captcha, so the client requests a new captcha.
 */
export async function assertCaptcha(
  db: Db,
  { captchaId, captcha: answer }: { captchaId?: string | undefined; captcha?: string | undefined },
) {
  if (!captchaId || !answer) throw new ApiError(400, '请输入图形验证码', { field: 'captcha', captcha: true })
  if (!(await answerChallenge(db, 'captcha', captchaId, answer)))
    throw new ApiError(400, '图形验证码错误或已过期', { field: 'captcha', captcha: true })
}
