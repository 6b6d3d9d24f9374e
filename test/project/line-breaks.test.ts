import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rollup/parseAst';
import { describe, expect, it } from 'vitest';
import { breakLines } from '../../scripts/lib/line-breaks.mjs';

/** The syntax tree without positions. */
const shape = (code: string): string =>
  JSON.stringify(parseAst(code), (key, value) =>
    key === 'start' || key === 'end' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  );
const broken = (code: string, width: number): string => breakLines(code, parseAst(code), width);
const longest = (code: string): number => Math.max(...code.split('\n').map((line) => line.length));

/** Where a newline too many would end a statement, change a text, or cut a token. */
const HAZARDS = [
  'function f(a,b){return a,b}function g(){throw f(1,2),3}',
  'let i=0,j=1;i++,++j;i\n++j',
  'for(;;){a:for(;;){if(i>3)break a;else continue a}}var i',
  'const f=async x=>x,g=async(x,y)=>{await x,y},h=async function(){}',
  'function*f(a){yield a,a;yield*f([1,2,3])}',
  'const s="a;b,c{d}?e:f&&g",t=\'1,2;3\',r=/a,b;[/?:]c/g;r.exec(s+t)',
  `const t=\`one;two,\${[1,2,3].map(x=>x+1)}three
four;\${\`\${1},\${2}\`}five\`;t`,
  'class A{static x=1;y=2;static{this.x=3}get z(){return this.y}static async*w(a,b){}}',
  'switch(1){case 1:f(1,2);break;case 2:default:f()}function f(...a){}',
  'import a,{b as c,d}from"./x.js";export{a as e,c,d};export default{a,b:[1,,2],[c]:d}',
  'const{a,b:[c,,...d],...e}={a:1,b:[1,2,3]};const f=(a,b=1,...c)=>({a,b,c})',
  'var x=1?2?3:4:5,y=x??((x||2)&&3),z=x**2-+-x- -x,w=(1,2,(3,4));if(x)y();else for(const k in w,z)k',
  'do x();while(1,2);try{x()}catch{y()}finally{}with_:{}new x(1,new y(2,3)).a`b`',
];

describe('lines of dist/', () => {
  it.each(HAZARDS)('are broken without a change of meaning: %s', (code) => {
    for (const width of [1, 5, 10, 20, 40]) expect(shape(broken(code, width))).toBe(shape(code));
    expect(longest(broken(code, 1))).toBeLessThan(longest(code));
  });

  it('are as long as is asked where there is a place to break', () => {
    const code = `()=>{${Array.from({ length: 400 }, (_, i) => `f${i % 7}(${i},[${i}])`).join(';')}}`;
    const lines = broken(code, 100).split('\n');
    expect(lines.join('')).toBe(code);
    expect(longest(lines.join('\n'))).toBeLessThanOrEqual(100);
    expect(lines.length).toBeLessThan(code.length / 80);
  });

  it('begin where a statement of the file does', () => {
    expect(broken('const a=1;function f(){g();h()}f()', 100)).toBe('const a=1;\nfunction f(){g();h()}\nf()');
  });

  it('are ASCII, so that an engine reads a byte a letter', () => {
    const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.js$/.test(name),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const name of files)
      expect(/[^\0-\x7f]/.test(readFileSync(`dist/${name}`, 'utf8')), name).toBe(false);
  });
});
