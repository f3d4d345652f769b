/** Returns the greeting for the current hour in the vendor's time zone, or in the browser's. */
export function greetingForHour(now: Date, zone?: string) {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', ...(zone && { timeZone: zone }) })
  const hour = Number(clock.format(now))
  if (hour < 5) return '夜深了'
  if (hour < 11) return '早上好'
  if (hour < 13) return '中午好'
  return hour < 18 ? '下午好' : '晚上好'
}
