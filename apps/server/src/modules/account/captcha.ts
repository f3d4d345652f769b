import type { Db } from '#db/client.ts'
import { answerChallenge, openChallenge } from '#kernel/challenge.ts'
import type { PublicCtx } from '#kernel/context.ts'
import { Problem } from '#kernel/problem.ts'

const MINUTES = 5

/** A picture of four characters without look-alikes, good for one answer within five minutes. */
export async function captcha({ db }: PublicCtx) {
  // It reads a font when loaded: no start should wait for that.
  const { default: svgCaptcha } = await import('svg-captcha')
  const { text, data } = svgCaptcha.create({
    size: 4,
    noise: 2,
    color: true,
    ignoreChars: '0oO1iIlL',
    width: 120,
    height: 40,
  })
  const captchaId = await openChallenge(db, { kind: 'captcha', answer: text, minutes: MINUTES })
  return { captchaId, svg: `data:image/svg+xml;base64,${Buffer.from(data).toString('base64')}` }
}

/** Refuses a missing or wrong answer; either way the picture is used up and the client fetches another. */
export async function demandCaptcha(
  db: Db,
  { captchaId, captcha: answer }: { captchaId?: string | undefined; captcha?: string | undefined },
) {
  if (!captchaId || !answer) throw new Problem(400, '请输入图形验证码', { field: 'captcha', captcha: true })
  if (!(await answerChallenge(db, 'captcha', captchaId, answer)))
    throw new Problem(400, '图形验证码错误或已过期', { field: 'captcha', captcha: true })
}
