import { expect, test } from 'vitest'
import { readUserAgent } from './user-agent.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0'

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome 118', 'Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/118.0.0.0`, 'Edge 118', 'Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 QQBrowser/19.2`, 'QQ浏览器 19', 'Windows'],
  [`Mozilla/5.0 (Linux; U; Android 13; zh-CN; V2) ${CHROME} UCBrowser/16.6 Mobile`, 'UC浏览器 16', 'Android 13'],
  [`Mozilla/5.0 (Linux; U; Android 14; zh-cn; 23) ${CHROME} XiaoMi/MiuiBrowser/18.9`, '小米浏览器 18', 'Android 14'],
  [`Mozilla/5.0 (Linux; Android 12; HarmonyOS) ${CHROME} HuaweiBrowser/15.0.4`, '华为浏览器 15', 'HarmonyOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile MicroMessenger/8.0.50', '微信 8', 'iOS 17'],
  ['curl/8.5.0', 'curl 8', '其他'],
  ['', '其他', '其他'],
])('browser and system are read from the user agent: %s', (userAgent, browser, os) =>
  expect(readUserAgent(userAgent)).toEqual({ browser, os }),
)
