"""Names of MediaWiki's namespaces whose pages are no articles, in the wikis' languages.

A path begins with the name in the language of its wiki (``Kategorie:Fluss``); the English name is
understood everywhere. The names are what wikis in the languages with the most articles in Kiwix's
library call category, file, template and user; Belarusian was compared with MediaWiki's message
file, the others were not: a wrong one accepts or refuses a search hit, and loses no page.
Namespaces that hold texts (recipes, appendices, portals) differ from wiki to wiki and are content.
"""

from typing import Final

_ENGLISH: Final = (
    "Category File Image Media Template User User_talk Talk Special MediaWiki Module Template_talk"
    " Category_talk File_talk MediaWiki_talk Module_talk TimedText Gadget"
)

# Language, then category, file, template and user.
_TABLE: Final = """
af  Kategorie Lêer Sjabloon Gebruiker
ar  تصنيف ملف قالب مستخدم
az  Kateqoriya Fayl Şəkil Şablon İstifadəçi
be  Катэгорыя Файл Выява Шаблон Шаблён Удзельнік
bg  Категория Файл Шаблон Потребител
bn  বিষয়শ্রেণী চিত্র টেমপ্লেট ব্যবহারকারী
ca  Categoria Fitxer Plantilla Usuari
cs  Kategorie Soubor Šablona Uživatel Uživatelka
cy  Categori Delwedd Nodyn Defnyddiwr
da  Kategori Fil Skabelon Bruger
de  Kategorie Datei Bild Vorlage Benutzer Benutzerin
el  Κατηγορία Αρχείο Πρότυπο Χρήστης
eo  Kategorio Dosiero Ŝablono Uzanto
es  Categoría Archivo Plantilla Usuario Usuaria
et  Kategooria Fail Pilt Mall Kasutaja
eu  Kategoria Fitxategi Txantiloi Lankide
fa  رده پرونده الگو کاربر
fi  Luokka Tiedosto Malline Käyttäjä
fr  Catégorie Fichier Modèle Utilisateur Utilisatrice
gl  Categoría Ficheiro Modelo Usuario
he  קטגוריה קובץ תבנית משתמש
hi  श्रेणी चित्र साँचा सदस्य
hr  Kategorija Datoteka Predložak Suradnik
hu  Kategória Fájl Sablon Szerkesztő
hy  Կատեգորիա Պատկեր Կաղապար Մասնակից
id  Kategori Berkas Templat Pengguna
is  Flokkur Mynd Snið Notandi
it  Categoria Immagine Utente
ja  カテゴリ ファイル テンプレート 利用者
ka  კატეგორია ფაილი თარგი მომხმარებელი
kk  Санат Файл Үлгі Қатысушы
ko  분류 파일 틀 사용자
la  Categoria Fasciculus Formula Usor
lt  Kategorija Vaizdas Šablonas Naudotojas
lv  Kategorija Attēls Veidne Dalībnieks
mk  Категорија Податотека Предлошка Корисник
ml  വർഗ്ഗം പ്രമാണം ഫലകം ഉപയോക്താവ്
mr  वर्ग चित्र साचा सदस्य
ms  Kategori Fail Templat Pengguna
nl  Categorie Bestand Afbeelding Sjabloon Gebruiker
no  Kategori Fil Mal Bruker
pl  Kategoria Plik Grafika Szablon Wikipedysta Użytkownik
pt  Categoria Ficheiro Arquivo Predefinição Usuário Utilizador
ro  Categorie Fișier Fişier Format Utilizator
ru  Категория Файл Изображение Шаблон Участник Участница
sh  Kategorija Datoteka Šablon Korisnik
sk  Kategória Súbor Šablóna Redaktor
sl  Kategorija Slika Datoteka Predloga Uporabnik
sq  Kategoria Skeda Stampa Përdoruesi
sr  Категорија Датотека Шаблон Корисник
sv  Kategori Fil Mall Användare
sw  Jamii Picha Faili Kigezo Mtumiaji
ta  பகுப்பு படிமம் வார்ப்புரு பயனர்
te  వర్గం దస్త్రం మూస వాడుకరి
th  หมวดหมู่ ไฟล์ แม่แบบ ผู้ใช้
tr  Kategori Dosya Şablon Kullanıcı
uk  Категорія Файл Шаблон Користувач Користувачка
ur  زمرہ فائل سانچہ صارف
vi  Thể_loại Tập_tin Hình Bản_mẫu Thành_viên
zh  分类 分類 文件 檔案 档案 模板 样板 用户 用戶 使用者
"""

_NAMES: Final = frozenset(
    name.casefold()
    for name in [*_ENGLISH.split(), *(n for row in _TABLE.splitlines() for n in row.split()[1:])]
)


def is_no_article(path: str) -> bool:
    """Tell whether ``path`` names a category, a file, a template or a user.

    A title with a subtitle ("Format: A History") has a space after its colon and is an article.
    """
    name, colon, rest = path.partition(":")
    if not colon or not rest or rest[0] in " _":
        return False
    return name.strip().replace(" ", "_").casefold() in _NAMES
