/** The console speaks of one zone's time everywhere; its greeting does too, wherever the browser is. */
const ZONE = 'Asia/Shanghai'
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: ZONE })

/** How one is met at this hour. */
export function greeting(now: Date) {
  const hour = Number(HOUR.format(now))
  if (hour < 5) return '夜深了'
  if (hour < 11) return '早上好'
  if (hour < 13) return '中午好'
  return hour < 18 ? '下午好' : '晚上好'
}
